/** Nothing in the engine's memory outlives its JavaScript object, whether that is disposed or only forgotten. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { promisify } from "node:util";
import { classifierPath } from "./helper.js";

/** Runs `use` (source text) many times in a fresh Node and gives the growth of wasm memory after the first rounds. */
async function growth(use) {
  const script = `
    import { readFileSync } from "node:fs";
    import { load } from "faketensor";
    const bytes = new Uint8Array(readFileSync(${JSON.stringify(classifierPath)}));
    let memory;
    const instantiate = WebAssembly.instantiate;
    WebAssembly.instantiate = async (...args) => {
      const result = await instantiate(...args);
      const { exports } = result.instance ?? result;
      memory = Object.values(exports).find((value) => value instanceof WebAssembly.Memory);
      return result;
    };
    const ft = await load();
    const use = ${use};
    const rounds = async (count) => {
      for (let i = 0; i < count; i++) {
        for (let j = 0; j < 20; j++) use();
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve));
      }
      return memory.buffer.byteLength;
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

it("forgotten ones are freed after garbage collection", async () => {
  assert.equal(await growth("() => { ft.open(bytes).propagate().table(); ft.mode().empty([2]); }"), 0);
});
