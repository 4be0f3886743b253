/**
 * Reading and propagating graphs with the package in Node: milliseconds and ns per node, and the ratio to the native command
 * where there is one. Run by hand:
 *
 *   node tests/bench/wasm_bench.mjs [--rounds N] FILE...
 *
 * `open` is from the bytes in memory to the finished program, `propagate` one run of it, `table`, `layout` and `costs` what a
 * page asks for next (`costs`: another propagation, the timeline of bytes and its columns as text); each is the best of N rounds (5). `native` is the native command's `info`, which opens, propagates and compares,
 * without its start-up; `ratio` is open and propagate here against it.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { load } = await import(path.join(root, "web/package/dist/index.js"));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "5" } },
});
const rounds = Number(values.rounds);
const native = path.join(root, "build/bin/faketensor");

/** The least time of `work` on what `prepare` makes anew for each round. */
function best(work, prepare = () => undefined) {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const subject = prepare();
    const started = performance.now();
    work(subject);
    least = Math.min(least, performance.now() - started);
  }
  return least;
}

function perNode(milliseconds, nodes) {
  return `${milliseconds.toFixed(1)} (${((milliseconds * 1e6) / nodes).toFixed(0)})`.padStart(18);
}

const columns = ["open", "propagate", "table", "layout", "costs"].map((name) => name.padStart(18)).join("");
console.log(`${"milliseconds (ns per node)".padEnd(36)}${"nodes".padStart(8)}${columns}    native  ratio`);
for (const file of positionals) {
  const bytes = new Uint8Array(readFileSync(file));
  const ft = await load();
  const open = best(() => ft.open(bytes).dispose());
  const program = ft.open(bytes);
  const { nodes } = program.info;
  const propagate = best(() => program.propagate().dispose());
  const table = best(
    (run) => run.table(),
    () => program.propagate(),
  );
  const layout = best(() => program.layout());
  const costs = best(
    (run) => run.costs(),
    () => program.propagate(),
  );
  let comparison = "";
  if (existsSync(native)) {
    const command = (...args) => best(() => execFileSync(native, args, { stdio: "ignore" }));
    const whole = command("info", file) - command("--help");
    comparison = `${whole.toFixed(1).padStart(10)}${((open + propagate) / whole).toFixed(2).padStart(7)}`;
  }
  const name = path.join(path.basename(path.dirname(file)), path.basename(file)).padEnd(36);
  const times = [open, propagate, table, layout, costs].map((time) => perNode(time, nodes)).join("");
  console.log(`${name}${String(nodes).padStart(8)}${times}${comparison}`);
}
