/**
 * Damaged files in WebAssembly: node tests/fuzz/damaged_files.mjs [FOLDER] [--files N] [--seed N]
 *
 * Opens and propagates files of FOLDER (ExportedProgram JSON, gzipped or not, and archives) after one to four random edits of
 * their bytes. Each is answered or refused by a FakeTensorError with words; the engine lives on, and its memory stays below the
 * limit of reading (256 MB and 20 times the file). The native twin is fuzz_readers.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { FakeTensorError, load } from "../../web/package/dist/index.js";
import { watchMemory } from "../../web/package/test/wasm_memory.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { files: { type: "string", default: "10000" }, seed: { type: "string", default: "1" } },
});
const folder = positionals[0] ?? path.join(root, "tests/conformance/data/models");
const kMostBytes = 200_000; // so that thousands take minutes
const originals = readdirSync(folder, { recursive: true })
  .filter((name) => /\.(pt2|json)(\.gz)?$/.test(name))
  .map((name) => ({ name, bytes: contentOf(path.join(folder, name)) }))
  .filter(({ bytes }) => bytes.length < kMostBytes);

/** Of a gzip file the text in it: a damaged gzip file is refused by its checksum alone. */
function contentOf(file) {
  const bytes = readFileSync(file);
  return file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

/** Numbers in [0, bound), the same for the same seed everywhere (mulberry32). */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return bound === 0 ? 0 : ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

function edited(bytes, other, below) {
  const at = below(bytes.length);
  const count = Math.min(bytes.length - at, 1 + below(below(8) === 0 ? 400 : 8));
  const spliced = (middle, from) => Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(from)]);
  switch (below(5)) {
    case 0:
      return spliced(Buffer.from([below(256)]), at + 1);
    case 1:
      return spliced(Buffer.alloc(0), at + count);
    case 2:
      return spliced(bytes.subarray(at, at + count), at);
    case 3:
      return spliced(other.subarray(below(other.length)).subarray(0, count), at);
    default:
      return spliced(Buffer.from(String(below(2) ? below(100) : 9223372036854775807n)), at + count);
  }
}

const memory = watchMemory();
const ft = await load();
let answered = 0;
let refused = 0;
let largest = 0; // the memory never shrinks
for (let i = 0; i < Number(values.files); ++i) {
  const below = randomNumbers(Number(values.seed) * 1_000_003 + i);
  const original = originals[below(originals.length)];
  let { bytes } = original;
  for (let left = 1 + below(4); left > 0; --left) bytes = edited(bytes, originals[below(originals.length)].bytes, below);
  const where = `file ${i} of seed ${values.seed}, from ${original.name}`;
  try {
    const program = ft.open(bytes, { name: original.name });
    program.propagate().dispose();
    program.dispose();
    ++answered;
  } catch (error) {
    if (!(error instanceof FakeTensorError) || error.message === "" || error.class === "EngineFailure") {
      console.log(`${where}: ${error.stack}`);
      process.exit(1);
    }
    ++refused;
  }
  largest = Math.max(largest, bytes.length);
  const limit = 256e6 + 20 * largest;
  if (memory() > limit) {
    console.log(`${where}: ${memory()} bytes of memory, more than ${limit}`);
    process.exit(1);
  }
}
console.log(`${answered} answered, ${refused} refused; memory ${memory()} bytes`);
