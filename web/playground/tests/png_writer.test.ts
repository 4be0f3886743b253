import assert from "node:assert/strict";
import { it } from "node:test";
import { inflateSync } from "node:zlib";
import { crc, writePng, type Tile } from "../src/png_writer.js";

it("CRC-32 is the standard's", () => {
  assert.equal(crc(new TextEncoder().encode("123456789")), 0xcbf43926);
});

/** Red counts columns, green rows, blue is 7. */
function pixels({ x, y, w, h }: Tile): Uint8ClampedArray {
  const out = new Uint8ClampedArray(4 * w * h);
  for (let row = 0; row < h; row++)
    for (let column = 0; column < w; column++)
      out.set([(x + column) % 256, (y + row) % 256, 7, 255], 4 * (row * w + column));
  return out;
}

it("a picture wider and higher than a tile is one PNG with every pixel in its place", async () => {
  const [width, height] = [5000, 300];
  const file = Buffer.from(await (await writePng(width, height, pixels)).arrayBuffer());
  assert.equal(file.readUInt32BE(16), width);
  assert.equal(file.readUInt32BE(20), height);
  const length = file.readUInt32BE(33);
  assert.equal(file.toString("latin1", 37, 41), "IDAT");
  assert.equal(file.readUInt32BE(41 + length), crc(file.subarray(37, 41 + length)));
  const rows = inflateSync(file.subarray(41, 41 + length));
  const stride = 3 * width + 1;
  assert.equal(rows.length, stride * height);
  const above = new Uint8Array(3 * width);
  for (let y = 0; y < height; y++) {
    assert.equal(rows[y * stride], 2);
    for (let i = 0; i < 3 * width; i++) above[i] += rows[y * stride + 1 + i];
    for (const x of [0, 1, 4095, 4096, 4999])
      assert.deepEqual([...above.subarray(3 * x, 3 * x + 3)], [x % 256, y % 256, 7]);
  }
});
