/** Nothing in the engine's memory outlives its JavaScript object, whether that is disposed or only forgotten. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { load } from "faketensor";
import { classifierPath } from "./helper.js";

/** Runs `use` (source text) many times in a fresh Node and gives the growth of wasm memory after the first rounds. */
async function growth(use) {
  const script = `
    import { readFileSync } from "node:fs";
    import { load } from "faketensor";
    import { watchMemory } from "./wasm_memory.js";
    const bytes = new Uint8Array(readFileSync(${JSON.stringify(classifierPath)}));
    const memory = watchMemory();
    const ft = await load();
    const use = ${use};
    const rounds = async (count) => {
      for (let i = 0; i < count; i++) {
        for (let j = 0; j < 20; j++) use();
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve));
      }
      return memory();
    };
    const before = await rounds(10);
    console.log((await rounds(30)) - before);`;
  const args = ["--expose-gc", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  return Number(stdout);
}

it("disposed programs, runs and modes leave nothing behind", async () => {
  const use = `() => {
    const program = ft.open(bytes);
    const run = program.propagate();
    run.table();
    run.dispose();
    program.dispose();
    const mode = ft.mode();
    mode.call("aten::relu", [mode.empty([2])]);
    mode.dispose();
  }`;
  assert.equal(await growth(use), 0);
});

// A mode gave the memory of its tensors back with itself only: 50 bytes a call.
it("a mode that lives on keeps what is in use, not what its calls have made", async () => {
  const use = `(() => {
    const mode = ft.mode();
    const x = mode.empty([4, 6]);
    const weight = mode.call("aten::t", [mode.empty([6, 6])]);
    mode.define("mylib::twice(Tensor x, int[] sizes) -> Tensor", ({ x }) => {
      mode.call("aten::neg", [x]).dispose();
      return mode.call("aten::add.Tensor", [x, x]);
    });
    const calls = [
      () => [mode.call("aten::add.Tensor", [x, 2.5])],
      () => [mode.call("aten::addmm", [x, x, weight], { beta: 2 })],
      () => [mode.call("aten::reshape", [x, [2, 12]])],
      () => mode.call("aten::split.Tensor", [x, 2]),
      () => [mode.call("aten::to.dtype", [x, { dtype: "float64" }])],
      () => [mode.call("mylib::twice", [x, [1, 2]])],
      () => [mode.call("aten::mul.Tensor", [x, { c: [1.5, 2] }])],
      () => [mode.call("aten::empty_like", [x], { memory_format: { memory_format: "contiguous_format" } })],
    ];
    return () => {
      for (let i = 0; i < 120; i++) {
        for (const call of calls) for (const made of call()) made.dispose();
      }
      if (weight.size[0] !== 6 || mode.call("aten::mm", [x, weight]).size[1] !== 6) throw new Error("lost");
    };
  })()`;
  assert.equal(await growth(use), 0);
});

it("so it does where tensors are forgotten", async () => {
  const use = `(() => {
    const mode = ft.mode();
    const x = mode.empty([4, 6]);
    return () => {
      for (let i = 0; i < 1000; i++) mode.call("aten::relu", [x]);
    };
  })()`;
  assert.equal(await growth(use), 0);
});

it("a tensor that a fake returns is the one that its call returns, and may be disposed of", async () => {
  const ft = await load();
  const mode = ft.mode();
  let made;
  mode.define("mylib::again(Tensor x) -> Tensor", ({ x }) => (made ??= mode.call("aten::relu", [x])));
  const x = mode.empty([2]);
  const y = mode.call("mylib::again", [x]);
  assert.equal(y, made);
  assert.equal(mode.call("mylib::again", [x]), y);
  for (let i = 0; i < 20_000; i++) mode.call("aten::neg", [x]).dispose();
  assert.deepEqual(mode.call("aten::neg", [y]).size, [2]);
  y.dispose();
  assert.deepEqual(y.size, [2]); // what it was like
  assert.throws(() => mode.call("aten::neg", [y]), /has been disposed/);
});

it("forgotten ones are freed after garbage collection", async () => {
  assert.equal(await growth("() => { ft.open(bytes).propagate().table(); ft.mode().empty([2]); }"), 0);
});
