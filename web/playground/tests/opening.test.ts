import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Engine, Layout, Program, PropagateOptions, Run } from "../src/engine.js";
import { misfitSentence, openProgram, type Opened } from "../src/opening.js";
import { parseHash } from "../src/url_state.js";
import { kInfo, sampleLayout, sampleTable } from "./sample.js";

/** An engine that knows the size `batch`, float64 and cuda, and notes what it holds. */
class FakeEngine implements Engine {
  readonly held = new Set<string>();
  propagations = 0;
  /** Runs when the layout is asked for. */
  whenLaidOut: () => void = () => undefined;

  open(): Promise<Program> {
    const info = {
      ...kInfo,
      symbols: ["s0", "zuf0"].map((name) => ({ name, range: [2, null] as const, hint: 4 })),
    };
    const program = {
      info,
      propagate: (options: PropagateOptions = {}) => this.propagate(options),
      layout: (): Promise<Layout> => {
        this.whenLaidOut();
        return Promise.resolve(sampleLayout());
      },
      dispose: () => this.drop("program"),
    };
    this.held.add("program");
    return Promise.resolve(program as unknown as Program);
  }

  private propagate({ dims = {}, dtype, device }: PropagateOptions): Promise<Run> {
    const wrong = Object.keys(dims).find((name) => name !== "batch");
    if (wrong !== undefined)
      return Promise.reject(new Error(`the program has no input dimension '${wrong}'`));
    if (dtype !== undefined && dtype !== "float64") return Promise.reject(new Error(`no dtype '${dtype}'`));
    if (device !== undefined && device !== "cuda") return Promise.reject(new Error(`no device '${device}'`));
    const name = `run ${++this.propagations}`;
    this.held.add(name);
    return Promise.resolve({
      problems: [],
      milliseconds: 1,
      table: () => Promise.resolve(sampleTable(2, false)),
      symbols: () => Promise.resolve([]),
      whatIf: () => Promise.resolve({ holds: true, broken: [], outputs: [], nodes: {}, bytes: {} }),
      dispose: () => this.drop(name),
    } as unknown as Run);
  }

  private drop(what: string): Promise<void> {
    this.held.delete(what);
    return Promise.resolve();
  }
}

function openAs(engine: FakeEngine, hash: string, signal = new AbortController().signal): Promise<Opened> {
  const nothing = (): void => undefined;
  const file = { name: "model.pt2", blob: new Blob([]) };
  return openProgram(engine, file, parseHash(hash), {
    signal,
    reading: nothing,
    read: nothing,
    propagating: nothing,
  });
}

describe("opening a program as a link says", () => {
  it("does all that fits in one propagation", async () => {
    const engine = new FakeEngine();
    const { state, misfits } = await openAs(engine, "#set=batch:4&dtype=float64&device=cuda&select=relu");
    assert.deepEqual(state.whatIf.dims, { batch: 4 });
    assert.deepEqual([state.whatIf.dtype, state.whatIf.device], ["float64", "cuda"]);
    assert.deepEqual(misfits, []);
    assert.equal(engine.propagations, 1);
  });

  it("leaves out each part that does not fit, and says which and why", async () => {
    const hash = "#set=batch:4,nope:3,x:y&dtype=float31&device=tpu&open=gone&select=nobody&at=1,2,x";
    const { state, misfits } = await openAs(new FakeEngine(), hash);
    assert.deepEqual(state.whatIf.dims, { batch: 4 });
    assert.deepEqual([state.whatIf.dtype, state.whatIf.device], [null, null]);
    assert.deepEqual(misfits, [
      "set=x:y",
      "at=1,2,x",
      "set=nope:3 (the program has no input dimension 'nope')",
      "dtype=float31 (no dtype 'float31')",
      "device=tpu (no device 'tpu')",
      "open=gone",
      "select=nobody",
    ]);
    assert.match(
      misfitSentence(misfits, "model.pt2") ?? "",
      /^Not everything in the link fits model\.pt2\. Left out: set=x:y; .*; and 2 more\.$/,
    );
    assert.equal(misfitSentence([], "model.pt2"), null);
  });

  it("takes a range for a symbol only, and no size for a number", async () => {
    const { state, misfits } = await openAs(new FakeEngine(), "#set=batch:2..4,s0:2..8,zuf0:3");
    assert.deepEqual(state.whatIf.dims, { s0: [2, 8] });
    assert.deepEqual(misfits, [
      "set=batch:2..4 (batch takes one number, no range)",
      "set=zuf0:3 (zuf0 is a number, no size)",
    ]);
  });

  it("keeps one run of those that it tried", async () => {
    const engine = new FakeEngine();
    const { answers } = await openAs(engine, "#set=batch:4&dtype=float31");
    assert.deepEqual([...engine.held], ["program", `run ${engine.propagations}`]);
    answers.dispose();
    assert.deepEqual([...engine.held], ["program"]);
  });
});

describe("opening that comes to nothing", () => {
  it("leaves nothing in the engine when it is aborted while the picture is laid out", async () => {
    const engine = new FakeEngine();
    const work = new AbortController();
    engine.whenLaidOut = () => {
      work.abort();
    };
    await assert.rejects(openAs(engine, "", work.signal), { name: "AbortError" });
    assert.deepEqual([...engine.held], []);
  });

  it("leaves nothing in the engine when a step fails", async () => {
    const engine = new FakeEngine();
    engine.whenLaidOut = () => {
      throw new Error("no room");
    };
    await assert.rejects(openAs(engine, "#set=batch:4"), /no room/);
    assert.deepEqual([...engine.held], []);
  });
});
