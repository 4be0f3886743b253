import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Engine, Layout, Program, Run, Table } from "../src/engine.js";
import { fromText, record, replay, toText } from "../src/stored.js";
import { kInfo, sampleLayout, sampleTable } from "./sample.js";

const kLayout = sampleLayout();
const kTable = sampleTable(2, false);

/** Counts what it is asked. */
class FakeEngine implements Engine {
  readonly asked: string[] = [];

  open(_: Blob, options: object): Promise<Program> {
    this.asked.push(`open ${JSON.stringify(options)}`);
    const run = {
      ok: true,
      problems: [],
      assumed: { assumptions: 0, guesses: 0 },
      milliseconds: 3,
      table: (symbols?: object): Promise<Table> => {
        this.asked.push(`table ${JSON.stringify(symbols)}`);
        return Promise.resolve(kTable);
      },
      guards: () => Promise.resolve([]),
      dispose: () => Promise.resolve(),
    };
    const program: Partial<Program> = {
      info: kInfo,
      propagate: (options) => {
        this.asked.push(`propagate ${JSON.stringify(options)}`);
        return Promise.resolve(run as unknown as Run);
      },
      layout: (): Promise<Layout> => {
        this.asked.push("layout");
        return Promise.resolve(kLayout);
      },
      dispose: () => Promise.resolve(),
    };
    return Promise.resolve(program as Program);
  }
}

const kDrawn = { expanded: [1], plumbing: false };

async function recorded(): Promise<string> {
  const { engine, recorded } = record(new FakeEngine());
  const program = await engine.open(new Blob(), { name: "sample" });
  const run = await program.propagate({ dims: {}, signal: new AbortController().signal });
  await run.table({});
  await program.layout(kDrawn);
  return toText(recorded());
}

describe("a stored program", () => {
  it("answers what was recorded without an engine, typed arrays as they were", async () => {
    const engine = replay(fromText(await recorded()), () => Promise.reject(new Error("there is none")));
    const program = await engine.open(new Blob(), {});
    assert.deepEqual(program.info, kInfo);
    assert.deepEqual(await program.layout(kDrawn), kLayout);
    const run = await program.propagate({ dims: {} });
    assert.equal(run.ok, true);
    assert.ok(Number.isNaN(run.milliseconds));
    assert.deepEqual(await run.table({}), kTable);
  });

  it("asks the engine for everything else, and opens the program in it once", async () => {
    const real = new FakeEngine();
    const engine = replay(fromText(await recorded()), () => Promise.resolve(real));
    const { signal } = new AbortController();
    const program = await engine.open(new Blob(), { sections: true, signal });
    const run = await program.propagate({ dims: {} });
    assert.deepEqual(real.asked, []);
    await run.table({ s0: 3 });
    await run.guards();
    await program.layout({ expanded: [], plumbing: false });
    await program.propagate({ dims: { batch: 4 } });
    assert.deepEqual(real.asked, [
      'open {"sections":true}',
      'propagate {"dims":{}}',
      'table {"s0":3}',
      "layout",
      'propagate {"dims":{"batch":4}}',
    ]);
  });

  it("fails as the engine does, and tries again", async () => {
    let isThere = false;
    const real = new FakeEngine();
    const engine = replay(fromText(await recorded()), () =>
      isThere ? Promise.resolve(real) : Promise.reject(new Error("no network")),
    );
    const program = await engine.open(new Blob(), {});
    const run = await program.propagate({ dims: {} });
    await assert.rejects(run.guards(), /no network/);
    isThere = true;
    assert.deepEqual(await run.guards(), []);
  });
});
