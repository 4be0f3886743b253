/**
 * Splits the engine by what is used: node wasm/split.mjs LINKED FOLDER
 *
 * LINKED is the folder of the engine as it was linked: faketensor.wasm and the JavaScript that instantiates it. FOLDER gets three
 * files: the same JavaScript, faketensor.wasm with the functions that workload.mjs calls, and faketensor-rest.wasm with all others.
 * Whoever calls one of those from the first file comes to a placeholder, which JavaScript fills in by loading the second
 * (web/package/src/rest.ts).
 *
 * It is done with binaryen's wasm-split: an instrumented engine does the work and tells which functions it has called. The second
 * file is then optimized for size, and so is the first by -Os: 0.5 % less of brotli, opened and propagated as fast (-Oz gives no
 * more). The first file's data is joined (join_data.mjs), and what it exports named anew (name_exports.mjs).
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { joinData } from "./join_data.mjs";
import { nameExports } from "./name_exports.mjs";
import { work } from "./workload.mjs";

const [linked, folder] = process.argv.slice(2).map((given) => path.resolve(given));
/** What Emscripten's modules use. The stack pointer is a mutable global, which both files share. */
const features = ["--mvp-features", "--enable-exception-handling", "--enable-mutable-globals"];
/**
 * Small functions go where they are called, which em++'s -O2 does for functions of a single call only. Up to 8 instructions the first
 * file is no larger for it, and the second by 0.6 %; opening takes a sixth less, layout and costs a fifth, tables a quarter.
 */
const inlining = ["--optimize-level=3", "--flexible-inline-max-function-size=8", "--inlining"];
/** rest.ts knows these names: where placeholders and the first file's exports are imported from. */
const names = ["--placeholder-namespace=p", "--import-namespace=e", "--export-prefix=%"];

const whole = path.join(linked, "inlined.wasm");
const instrumented = path.join(linked, "instrumented.wasm");
const profile = path.join(linked, "called.profile");

async function tool(name, ...words) {
  const { stdout, stderr } = await promisify(execFile)(name, [...words, ...features]);
  process.stderr.write(stdout + stderr);
}

/** Runs the workload in the instrumented engine, and writes which functions it called. */
async function writeProfile() {
  const { default: createModule } = await import(pathToFileURL(path.join(linked, "faketensor.mjs")));
  let exports;
  const engine = await createModule({
    instantiateWasm(imports, receive) {
      WebAssembly.instantiate(readFileSync(instrumented), imports).then(({ instance, module }) => {
        exports = instance.exports;
        receive(instance, module);
      });
      return {};
    },
  });
  work(engine);
  const memory = Object.values(exports).find((item) => item instanceof WebAssembly.Memory);
  const page = 65536;
  const length = exports.__write_profile(0, 0);
  const at = memory.grow(Math.ceil(length / page)) * page;
  exports.__write_profile(at, length);
  writeFileSync(profile, new Uint8Array(memory.buffer, at, length));
}

/** A custom section that is the same in both files, and in no others: parts of two engines would call wrong functions. */
function appendBuild(files) {
  const contents = files.map((file) => readFileSync(file));
  const digest = createHash("sha256");
  for (const content of contents) digest.update(content);
  const name = Buffer.from("faketensor.build");
  const section = Buffer.concat([Buffer.from([name.length]), name, digest.digest().subarray(0, 8)]);
  files.forEach((file, i) =>
    writeFileSync(file, Buffer.concat([contents[i], Buffer.from([0, section.length]), section])),
  );
}

mkdirSync(folder, { recursive: true });
await tool("wasm-opt", ...inlining, path.join(linked, "faketensor.wasm"), "-o", whole);
await tool("wasm-split", "--instrument", whole, "-o", instrumented);
await writeProfile();
const parts = ["faketensor.wasm", "faketensor-rest.wasm"].map((name) => path.join(folder, name));
await tool("wasm-split", "--split", whole, `--profile=${profile}`, ...names, "-o1", parts[0], "-o2", parts[1]);
await Promise.all([
  tool("wasm-opt", "-Os", parts[0], "-o", parts[0]),
  tool("wasm-opt", "-Oz", parts[1], "-o", parts[1]),
]);
const [first, second] = nameExports(readFileSync(parts[0]), readFileSync(parts[1]), { namespace: "e", prefix: "%" });
writeFileSync(parts[0], joinData(first));
writeFileSync(parts[1], second);
appendBuild(parts);
copyFileSync(path.join(linked, "faketensor.mjs"), path.join(folder, "faketensor.mjs"));
