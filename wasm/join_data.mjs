/**
 * joinData(bytes): the module with its data in few segments.
 *
 * Binaryen cuts data at every few zeros, into thousands of segments with an address each. Zeros compress to nothing, addresses do
 * not: joined, the engine is 1.4 % less of brotli and 1.9 % of gzip, and 1.6 % more in memory. There is nothing else to it: no
 * instruction names a segment (the module has no section DataCount, which says that one might).
 */

import { Reader, signed, unsigned } from "./leb128.mjs";

/** Zeros between two segments that take less room than the second one's head. */
const gap = 64;
const kData = 11;
const kDataCount = 12;

export function joinData(bytes) {
  const reader = new Reader(bytes);
  reader.at = 8;
  const sections = [bytes.subarray(0, 8)];
  while (reader.at < bytes.length) {
    const start = reader.at;
    const id = reader.byte();
    const length = reader.unsigned();
    const end = reader.at + length;
    if (id === kDataCount) throw new Error("instructions name segments of data");
    sections.push(id === kData ? joined(reader) : bytes.subarray(start, end));
    reader.at = end;
  }
  return Buffer.concat(sections);
}

function joined(reader) {
  const segments = Array.from({ length: reader.unsigned() }, () => readSegment(reader));
  segments.sort((a, b) => a.address - b.address);
  const runs = [];
  for (const { address, content } of segments) {
    const last = runs.at(-1);
    if (last && address - last.end <= gap) {
      last.parts.push(Buffer.alloc(address - last.end), content);
      last.end = address + content.length;
    } else {
      runs.push({ address, parts: [content], end: address + content.length });
    }
  }
  const written = runs.map(({ address, parts }) => {
    const content = Buffer.concat(parts);
    const head = [0, 0x41, ...signed(address), 0x0b, ...unsigned(content.length)];
    return Buffer.concat([Buffer.from(head), content]);
  });
  const body = Buffer.concat([Buffer.from(unsigned(runs.length)), ...written]);
  return Buffer.concat([Buffer.from([kData, ...unsigned(body.length)]), body]);
}

/** An active segment of the one memory at a constant address. */
function readSegment(reader) {
  const [mode, constant] = [reader.byte(), reader.byte()];
  if (mode !== 0 || constant !== 0x41) throw new Error("a segment of data without a constant address");
  const address = reader.signed() >>> 0;
  if (reader.byte() !== 0x0b) throw new Error("an address that is computed");
  const length = reader.unsigned();
  const content = reader.bytes.subarray(reader.at, reader.at + length);
  reader.at += length;
  return { address, content };
}
