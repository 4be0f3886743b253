/** The engine's second file: who needs it, and what becomes of those that cannot get it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { load } from "faketensor";
import { connect } from "faketensor/worker";
import {
  bytesOf,
  classifierPath,
  customPath,
  decoderPath,
  eigenvaluesPath,
  llamaPath,
  pairsPath,
} from "./helper.js";

const dist = new URL("../dist/", import.meta.url);
const rest = new URL("faketensor-rest.wasm", dist);
const missing = new URL("no-such-file.wasm", dist);
const start = () => new Worker(new URL("worker-main.js", dist));

/** Everything that the page shows of a program. */
function shown(ft, file) {
  const program = ft.open(bytesOf(file), { name: "model" });
  const { info } = program;
  const layout = program.layout({ expanded: info.modules.map(({ id }) => id) });
  return [{}, { dims: { batch: 3 }, dtype: "bfloat16", device: "cuda" }].map((options) => {
    const run = program.propagate(options);
    const details = Array.from({ length: info.nodes }, (_, row) => run.node(row));
    return [info, layout, run.problems, run.table(), details, run.symbols(), run.guards(), run.assumptions()];
  });
}

describe("the engine's second file", () => {
  it("is not needed for what most programs do", async () => {
    const [without, whole] = [await load({ rest: missing }), await load()];
    for (const file of [classifierPath, customPath, decoderPath, llamaPath, pairsPath])
      assert.deepEqual(shown(without, file), shown(whole, file));
  });

  it("comes with the first call of what is in it, from whatever it is given as", async () => {
    const bytes = new Uint8Array(readFileSync(rest));
    const inputs = [
      undefined,
      rest,
      rest.href,
      bytes,
      bytes.buffer,
      readFile(rest),
      WebAssembly.compile(bytes),
      new Response(bytes),
    ];
    for (const input of inputs) {
      const ft = await load(input === undefined ? {} : { rest: input });
      const mode = ft.mode();
      for (let again = 0; again < 2; again++) {
        const [values, vectors] = mode.call("aten::linalg_eig", [mode.empty([2, 3, 3])]);
        assert.deepEqual([values.size, vectors.size, values.dtype], [[2, 3], [2, 3, 3], "complex64"]);
      }
    }
  });

  it("throws to the first, and goes on", async () => {
    const ft = await load();
    const mode = ft.mode();
    const wrong = () => mode.call("aten::linalg_eig", [mode.empty([3])]);
    for (let again = 0; again < 2; again++)
      assert.throws(wrong, { name: "AssertionError", message: /linalg.eig: .* at least 2 dimensions/ });
    assert.deepEqual(mode.call("aten::linalg_eigvals", [mode.empty([3, 3])]).size, [3]);
  });

  it("comes to a worker too", async () => {
    const ft = await connect(start, { wasm: bytesOf(new URL("faketensor.wasm", dist)), rest });
    const program = await ft.open({ path: eigenvaluesPath });
    const table = await (await program.propagate()).table();
    const here = (await load()).open(bytesOf(eigenvaluesPath)).propagate().table();
    assert.deepEqual(table, here);
    ft.terminate();
  });

  it("ends the engine where it is needed and cannot be had", async () => {
    const ft = await load({ rest: missing });
    const mode = ft.mode();
    const x = mode.empty([3, 3]);
    const failure = {
      name: "EngineFailure",
      message: /faketensor-rest.wasm could not be loaded: .*no-such-file/,
    };
    assert.throws(() => mode.call("aten::linalg_eig", [x]), failure);
    assert.throws(() => mode.call("aten::relu", [x]), failure);
    assert.deepEqual((await load()).mode().empty([3]).size, [3]);
  });

  it("tells a worker's user the same, and what does not need it is answered by the next worker", async () => {
    const ft = await connect(start, { rest: missing.href });
    const program = await ft.open({ path: eigenvaluesPath });
    await assert.rejects(program.propagate(), {
      name: "EngineFailure",
      message: /faketensor-rest.wasm could not be loaded/,
    });
    const other = await ft.open({ path: classifierPath });
    assert.ok((await other.propagate()).ok);
    ft.terminate();
  });

  it("is refused where it is of another engine", async () => {
    const bytes = readFileSync(rest);
    bytes[bytes.length - 1] ^= 1; // of the section that both files have
    const ft = await load({ rest: bytes });
    const mode = ft.mode();
    assert.throws(() => mode.call("aten::linalg_eig", [mode.empty([3, 3])]), {
      name: "EngineFailure",
      message: /it is not of one build with faketensor.wasm/,
    });
  });
});
