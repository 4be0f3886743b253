import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { load } from "faketensor";
import { connect } from "faketensor/worker";
import { bytesOf, classifierPath, decoderPath } from "./helper.js";

const start = () => new Worker(new URL("../dist/worker-main.js", import.meta.url));

/** Lets a call reach the worker, but no answer come back: that takes a turn of the event loop. */
async function sent() {
  for (let step = 0; step < 50; step++) await null;
}

describe("an engine in a worker", () => {
  let ft;
  before(async () => {
    ft = await connect();
  });
  after(() => ft.terminate());

  it("answers as the one in this thread does", async () => {
    const here = (await load()).open(bytesOf(decoderPath), { name: "decoder" });
    const there = await ft.open(new Blob([bytesOf(decoderPath)]), { name: "decoder" });
    assert.deepEqual(there.info, here.info);
    const options = { dims: { batch: 3 } };
    const run = await there.propagate(options);
    const expected = here.propagate(options);
    assert.deepEqual(run.problems, expected.problems);
    assert.deepEqual(await run.table(), expected.table());
    assert.deepEqual(await run.value(here.info.outputs[0]), expected.value(here.info.outputs[0]));
    assert.deepEqual(await run.node(5), expected.node(5));
    assert.deepEqual(await run.guards(), expected.guards());
    assert.deepEqual(await run.why("linear", 1), expected.why("linear", 1));
    assert.deepEqual(await run.whatIf({}, ["linear"]), expected.whatIf({}, ["linear"]));
    assert.deepEqual(await there.layout({ expanded: [1] }), here.layout({ expanded: [1] }));
    assert.deepEqual(await ft.operators("aten::mm"), (await load()).operators("aten::mm"));
    await run.dispose();
    await there.dispose();
    await assert.rejects(there.propagate(), /has been disposed/);
  });

  it("reads a file by its path, and bytes without taking them away", async () => {
    const byPath = await ft.open({ path: classifierPath });
    const bytes = bytesOf(classifierPath);
    const byBytes = await ft.open(bytes, { name: classifierPath });
    assert.ok(bytes.length > 0);
    assert.deepEqual(byBytes.info, byPath.info);
  });

  it("rejects with the engine's errors", async () => {
    await assert.rejects(ft.open(new Blob(["not json"]), { name: "bad" }), {
      name: "UnreadableInput",
      message: /bad/,
    });
    const program = await ft.open({ path: classifierPath });
    await assert.rejects(program.propagate({ target: "abacus" }), { name: "UsageError" });
  });

  it("is replaced when a signal aborts; programs and runs are there again", async () => {
    const program = await ft.open({ path: classifierPath });
    const run = await program.propagate({ dims: { batch: 7 } });
    const aborting = new AbortController();
    const aborted = program.propagate({ signal: aborting.signal });
    const bystander = run.node(0);
    await sent();
    aborting.abort();
    await assert.rejects(aborted, { name: "AbortError" });
    assert.equal((await bystander).index, 0);
    const input = program.info.inputs.find(({ kind }) => kind === "user").name;
    assert.equal((await run.value(input)).size[0], 7);
  });

  // Whatever stage the other calls are in: their arguments may be worked out, and not posted yet.
  it("answers about the run that was asked about, whenever a signal aborts", async () => {
    const program = await ft.open({ path: classifierPath });
    const input = program.info.inputs.find(({ kind }) => kind === "user").name;
    const batchOf = async (run) => (await run.value(input)).size[0];
    for (const steps of [0, 1, 2, 3, 4, 5, 6, 8, 12, 20]) {
      const three = await program.propagate({ dims: { batch: 3 } });
      const five = await program.propagate({ dims: { batch: 5 } });
      const gone = await program.propagate();
      const aborting = new AbortController();
      const aborted = program.propagate({ signal: aborting.signal });
      await sent();
      const before = batchOf(three);
      const freed = gone.dispose();
      for (let step = 0; step < steps; step++) await null;
      aborting.abort();
      const after = batchOf(five);
      await assert.rejects(aborted, { name: "AbortError" });
      await freed;
      assert.deepEqual([await before, await after, await batchOf(three)], [3, 5, 3], `${steps} steps`);
    }
  });

  it("rejects what cannot be posted, and goes on", async () => {
    const program = await ft.open({ path: classifierPath });
    await assert.rejects(program.propagate({ target: () => "cuda" }), { name: "DataCloneError" });
    assert.ok((await program.propagate()).ok);
  });

  it("hands over integers beyond 2^53", async () => {
    const program = await ft.open({ path: classifierPath });
    const input = program.info.inputs.find(({ kind }) => kind === "user").name;
    const run = await program.propagate({ dims: { batch: 2 ** 43 + 1 } });
    assert.equal(typeof (await run.value(input)).nbytes, "string");
  });

  it("goes on after restart(), which rejects what was pending", async () => {
    const program = await ft.open({ path: classifierPath });
    for (const waited of [sent, async () => undefined]) {
      const pending = program.propagate();
      await waited();
      ft.restart();
      await assert.rejects(pending, { name: "AbortError" });
    }
    assert.ok((await (await program.propagate()).table()).length > 0);
  });
});

describe("what is forgotten", () => {
  it("is freed in the worker after garbage collection, but a run keeps its program", async () => {
    const script = `
      import { Worker } from "node:worker_threads";
      import { connect } from "faketensor/worker";
      const calls = [];
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message) {
        calls.push(message.call);
        return post.call(this, message);
      };
      const ft = await connect();
      const file = { path: ${JSON.stringify(classifierPath)} };
      const settled = async () => {
        for (let i = 0; i < 20; i++) {
          globalThis.gc();
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      };
      const closed = (what) => calls.filter((call) => call === "close" + what).length;
      let run = await (await ft.open(file)).propagate();
      for (let i = 0; i < 5; i++) await (await ft.open(file)).propagate();
      await settled();
      const first = [closed("Run"), closed("Program")];
      const { index } = await run.node(0);
      run = undefined;
      await settled();
      console.log(JSON.stringify({ first, index, last: [closed("Run"), closed("Program")] }));
      ft.terminate();`;
    const args = ["--expose-gc", "--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
    assert.deepEqual(JSON.parse(stdout), { first: [5, 5], index: 0, last: [6, 6] });
  });
});

describe("a process of Node", () => {
  it("ends when the worker has answered everything, and not before", async () => {
    const script = `
      import { connect } from "faketensor/worker";
      const ft = await connect();
      const program = await ft.open({ path: ${JSON.stringify(classifierPath)} });
      console.log((await (await program.propagate()).table()).length);`;
    const args = ["--input-type=module", "--eval", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: import.meta.dirname,
      timeout: 60_000,
    });
    assert.ok(Number(stdout) > 5);
  });
});

describe("connect", () => {
  it("takes a function that starts the worker, and bytes for it", async () => {
    const wasm = bytesOf(new URL("../dist/faketensor.wasm", import.meta.url));
    const ft = await connect(start, { wasm });
    assert.equal(ft.info.torch, "2.13.0");
    ft.terminate();
    await assert.rejects(ft.operators(), /has been terminated/);
  });

  it("takes a worker, which cannot be replaced", async () => {
    const ft = await connect(start());
    ft.restart();
    await assert.rejects(ft.operators(), /pass connect\(\) a function/);
    ft.terminate();
  });

  it("rejects when the engine cannot be loaded", async () => {
    await assert.rejects(connect(start, { wasm: new Uint8Array(8) }), { name: "CompileError" });
    const missing = () => new Worker(new URL("../dist/no-such-file.js", import.meta.url));
    await assert.rejects(connect(missing), { name: "EngineFailure" });
  });
});
