/**
 * What a mode that lives on costs in memory: the process' and WebAssembly's after each million of calls whose results are
 * disposed of. Run by hand:
 *
 *   node --expose-gc tests/bench/mode_memory.mjs [--millions N] [--forget]
 *
 * With --forget results are left to the garbage collector, for which each million waits.
 */
import { parseArgs } from "node:util";
import { load } from "../../web/package/dist/index.js";
import { watchMemory } from "../../web/package/test/wasm_memory.js";

const { values } = parseArgs({
  options: { millions: { type: "string", default: "10" }, forget: { type: "boolean", default: false } },
});

const memory = watchMemory();
const mode = (await load()).mode();
const x = mode.empty([4, 6]);
const weight = mode.empty([6, 6]);
const calls = [
  () => mode.call("aten::relu", [x]),
  () => mode.call("aten::add.Tensor", [x, 2.5]),
  () => mode.call("aten::reshape", [x, [2, 12]]),
  () => mode.call("aten::mm", [x, weight]),
];
const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(1).padStart(10);
console.log("   calls   wasm MiB    rss MiB   heap MiB   ns/call");
for (let million = 1; million <= Number(values.millions); million++) {
  const started = performance.now();
  for (let i = 0; i < 1e6; i++) {
    const made = calls[i & 3]();
    if (!values.forget) made.dispose();
    else if (i % 1e5 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  const nanoseconds = (performance.now() - started).toFixed(0);
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve));
  const { rss, heapUsed } = process.memoryUsage();
  const numbers = [memory(), rss, heapUsed].map(megabytes).join(" ");
  console.log(`${String(million).padStart(6)} M ${numbers} ${nanoseconds.padStart(9)}`);
}
