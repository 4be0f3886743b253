/**
 * PNG of any size: no canvas is as large as an opened model, so the picture is painted in tiles, a band of rows at a time,
 * and written as one file. True colour of 8 bits; each row holds its difference to the one above, which compresses well.
 */
export interface Tile {
  /** In pixels of the whole picture. */
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const kBand = 256;
const kTileWidth = 4096;
const kSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const kTrueColor = 2;

/** `pixels`: four bytes each, of a tile. */
export async function writePng(
  width: number,
  height: number,
  pixels: (tile: Tile) => Uint8ClampedArray,
): Promise<Blob> {
  const deflate = new CompressionStream("deflate");
  const compressed = new Response(deflate.readable).blob();
  const writer = deflate.writable.getWriter();
  let above = new Uint8Array(3 * width);
  for (let y = 0; y < height; y += kBand) {
    const h = Math.min(kBand, height - y);
    const band = new Uint8Array(h * 3 * width);
    for (let x = 0; x < width; x += kTileWidth) {
      const w = Math.min(kTileWidth, width - x);
      copyRows(pixels({ x, y, w, h }), w, band, width, x);
    }
    await writer.write(filtered(band, above, 3 * width));
    above = band.slice((h - 1) * 3 * width);
  }
  await writer.close();
  const header = new DataView(new ArrayBuffer(13));
  header.setUint32(0, width);
  header.setUint32(4, height);
  header.setUint8(8, 8);
  header.setUint8(9, kTrueColor);
  const data = new Uint8Array(await (await compressed).arrayBuffer());
  const parts = [
    new Uint8Array(kSignature),
    chunk("IHDR", new Uint8Array(header.buffer)),
    chunk("IDAT", data),
    chunk("IEND", new Uint8Array()),
  ];
  return new Blob(parts, { type: "image/png" });
}

function copyRows(from: Uint8ClampedArray, w: number, band: Uint8Array, width: number, x: number): void {
  const rows = from.length / (4 * w);
  for (let row = 0; row < rows; row++) {
    let to = 3 * (row * width + x);
    for (let at = 4 * row * w; at < 4 * (row + 1) * w; at += 4) {
      band[to++] = from[at];
      band[to++] = from[at + 1];
      band[to++] = from[at + 2];
    }
  }
}

/** Each row after the number of its filter: 2, the difference to the row above. */
function filtered(band: Uint8Array, above: Uint8Array, stride: number): Uint8Array<ArrayBuffer> {
  const rows = band.length / stride;
  const out = new Uint8Array(rows * (stride + 1));
  for (let row = 0; row < rows; row++) {
    const from = row * stride;
    const to = row * (stride + 1);
    out[to] = 2;
    for (let i = 0; i < stride; i++)
      out[to + 1 + i] = band[from + i] - (row === 0 ? above[i] : band[from + i - stride]);
  }
  return out;
}

function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(12 + data.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) out[4 + i] = type.charCodeAt(i);
  out.set(data, 8);
  view.setUint32(8 + data.length, crc(out.subarray(4, 8 + data.length)));
  return out;
}

let table: Uint32Array | null = null;

/** CRC-32 as ISO 3309 has it. */
export function crc(bytes: Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
  });
  let value = 0xffffffff;
  for (const byte of bytes) value = table[(value ^ byte) & 0xff] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
