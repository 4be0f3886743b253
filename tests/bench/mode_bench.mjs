/**
 * Operators called one by one from JavaScript: calls per second of `mode.call` in a loop, in Node. Run by hand:
 *
 *   node tests/bench/mode_bench.mjs [--seconds N]
 */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { load } = await import(path.join(root, "web/package/dist/index.js"));
const { values } = parseArgs({
  options: { seconds: { type: "string", default: "1" } },
});
const seconds = Number(values.seconds);

const ft = await load();
const cases = {
  "aten::add.Tensor": (mode, x) => [x([8, 128, 768]), x([8, 128, 768])],
  "aten::mm": (mode, x) => [x([128, 768]), x([768, 3072])],
  "aten::view": (mode, x) => [x([8, 128, 768]), [8, 128, 12, 64]],
  "aten::relu_": (mode, x) => [x([8, 128, 768])],
  "aten::_to_copy": (mode, x) => [x([8, 128, 768]), { dtype: "bfloat16" }],
};

/** Calls per second, in rounds of a mode each: a mode keeps the tensors of its calls until it is disposed. */
function measure(operator, make) {
  const rounds = [];
  const end = performance.now() + seconds * 1000;
  do {
    const mode = ft.mode();
    const args = make(mode, (size) => mode.empty(size));
    for (let i = 0; i < 2000; i++) mode.call(operator, args);
    const count = 50_000;
    const started = performance.now();
    for (let i = 0; i < count; i++) mode.call(operator, args);
    rounds.push((count / (performance.now() - started)) * 1000);
    mode.dispose();
  } while (performance.now() < end);
  return rounds.sort((a, b) => b - a)[0];
}

console.log(`${"operator".padEnd(20)}calls per second (best round)`);
for (const [operator, make] of Object.entries(cases)) {
  console.log(
    `${operator.padEnd(20)}${Math.round(measure(operator, make)).toLocaleString("en").padStart(12)}`,
  );
}
