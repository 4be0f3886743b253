/** The bytes of a WebAssembly module, whose numbers are LEB128, and such numbers. */
export class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  byte() {
    return this.bytes[this.at++];
  }
  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  /** The bytes that `read` goes over. */
  over(read) {
    const start = this.at;
    read();
    return this.bytes.subarray(start, this.at);
  }
  unsigned() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
  signed() {
    let value = 0;
    let shift = 0;
    let byte;
    do {
      byte = this.byte();
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte >= 128);
    return shift < 32 && byte & 64 ? value | (-1 << shift) : value;
  }
}

export function unsigned(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

export function signed(value) {
  const bytes = [];
  for (let rest = value | 0; ; rest >>= 7) {
    if (rest >= -64 && rest < 64) return [...bytes, rest & 127];
    bytes.push((rest & 127) | 128);
  }
}
