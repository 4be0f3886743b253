import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Answers } from "../src/answers.js";
import type { Program, PropagateOptions, Run, SymbolSettings } from "../src/engine.js";
import { kAsInFile, withDims, withDynamic } from "../src/state.js";
import { kInfo, sampleTable } from "./sample.js";

/** A program with the symbol s0, of which a guard says that it is at most 16; notes what it is asked. */
function fake(asked: string[]): Program {
  let runs = 0;
  const propagate = (options: PropagateOptions = {}): Promise<Run> => {
    const name = `run ${++runs}`;
    const number = options.dims?.["s0"];
    asked.push(`${name} of ${JSON.stringify(options.dims)}`);
    const holds = (settings: SymbolSettings): boolean => {
      const setting = settings["s0"] as number | readonly number[] | undefined;
      return Math.max(...[setting ?? 0].flat()) <= 16;
    };
    return Promise.resolve({
      problems: [],
      milliseconds: 1,
      table: (symbols: SymbolSettings = {}) => {
        asked.push(`table of ${name} for ${JSON.stringify(symbols)}`);
        return Promise.resolve(sampleTable(2, false));
      },
      symbols: () =>
        Promise.resolve(
          number === undefined ? [{ name: "s0", node: "x", row: 1, dim: 0, range: [2, 16] as const }] : [],
        ),
      whatIf: (settings: SymbolSettings) =>
        Promise.resolve({
          holds: holds(settings),
          broken: holds(settings)
            ? []
            : [{ kind: "guard" as const, text: "s0 <= 16", verdict: "violated" as const }],
          outputs: [],
          nodes: {},
          bytes: {},
        }),
      guards: () => Promise.resolve(number === undefined ? [{ text: "s0 <= 16" }] : []),
      dispose: () => {
        asked.push(`${name} is given back`);
        return Promise.resolve();
      },
    } as unknown as Run);
  };
  const info = { ...kInfo, symbols: [{ name: "s0", range: [2, null], hint: 4 }] as const };
  return { info, propagate } as unknown as Program;
}

describe("answers", () => {
  it("hand over what was decided, and ask for assumptions once", async () => {
    let asked = 0;
    const given: PropagateOptions[] = [];
    const run = {
      problems: [],
      milliseconds: 1,
      table: () => Promise.resolve(sampleTable(2, false)),
      symbols: () => Promise.resolve([]),
      assumptions: () => Promise.resolve(new Array(++asked)),
    };
    const propagate = (options: PropagateOptions = {}): Promise<Run> => {
      given.push(options);
      return Promise.resolve(run as unknown as Run);
    };
    const answers = new Answers({ info: kInfo, propagate } as unknown as Program);
    const assume = { "view.0": "literal" };
    const answer = await answers.answer({ ...kAsInFile, dims: { batch: 4 }, assume, literal: true }, {});
    assert.deepEqual(given, [{ dims: { batch: 4 }, assume, literal: true }]);
    assert.equal(asked, 0);
    assert.equal((await answer.assumptions()).length, 1);
    assert.equal((await answer.assumptions()).length, 1);
  });

  it("make symbols of dimensions that are numbers in the file, and numbers of them where a guard breaks", async () => {
    const given: PropagateOptions[] = [];
    const run = {
      milliseconds: 1,
      problems: [],
      table: () => Promise.resolve(sampleTable(2, false)),
      symbols: () => Promise.resolve([{ name: "x_0", node: "x", row: 1, dim: 0, range: [2, 16] }]),
      whatIf: () => Promise.resolve({ holds: false, broken: [], outputs: [], nodes: {}, bytes: {} }),
      dispose: () => Promise.resolve(),
    } as unknown as Run;
    const propagate = (options: PropagateOptions = {}): Promise<Run> => {
      given.push(options);
      return Promise.resolve(run);
    };
    const answers = new Answers({ info: kInfo, propagate } as unknown as Program);
    const whatIf = withDynamic({ ...kAsInFile, dims: { "x.0": 8 } }, ["x.0"], [2, 64]);
    const free = await answers.answer(whatIf, {});
    assert.equal(free.symbolic.symbols.length, 1);
    answers.keep(free);
    const set = await answers.answer(withDims(whatIf, ["x_0"], 32), {});
    assert.equal(set.symbolic.how, "propagated");
    assert.deepEqual(given, [
      { dims: {}, dynamic: { "x.0": [2, 64] }, pythonDispatcher: true },
      { dims: { "x.0": 32 } },
    ]);
  });

  it("propagate once for all settings that the guards allow", async () => {
    const asked: string[] = [];
    const answers = new Answers(fake(asked));
    for (const s0 of [undefined, 8, [2, 16] as const]) {
      const answer = await answers.answer({ ...kAsInFile, dims: s0 === undefined ? {} : { s0 } }, {});
      assert.equal(answer.symbolic.how, s0 === undefined ? "free" : "followed");
      answers.keep(answer);
    }
    assert.deepEqual(asked, [
      "run 1 of {}",
      "table of run 1 for {}",
      'table of run 1 for {"s0":8}',
      'table of run 1 for {"s0":[2,16]}',
    ]);
  });

  it("propagate again for a number that breaks a guard, and keep the run with free symbols", async () => {
    const asked: string[] = [];
    const answers = new Answers(fake(asked));
    for (const s0 of [64, 8]) {
      const answer = await answers.answer({ ...kAsInFile, dims: { s0 } }, {});
      assert.equal(answer.symbolic.how, s0 === 64 ? "propagated" : "followed");
      assert.equal(answer.symbolic.broken.length, s0 === 64 ? 1 : 0);
      assert.deepEqual(
        (await answer.guards()).map(({ text }) => text),
        ["s0 <= 16"],
      );
      answers.keep(answer);
    }
    assert.deepEqual(asked, [
      "run 1 of {}",
      'run 2 of {"s0":64}',
      "table of run 2 for {}",
      'table of run 1 for {"s0":8}',
      "run 2 is given back",
    ]);
    answers.dispose();
    assert.equal(asked.at(-1), "run 1 is given back");
  });

  it("show what there is for a range that breaks a guard", async () => {
    const asked: string[] = [];
    const answer = await new Answers(fake(asked)).answer({ ...kAsInFile, dims: { s0: [2, 64] } }, {});
    assert.equal(answer.symbolic.how, "partly");
    assert.deepEqual(asked, ["run 1 of {}", 'table of run 1 for {"s0":[2,64]}']);
  });

  it("propagate again for another dtype", async () => {
    const asked: string[] = [];
    const answers = new Answers(fake(asked));
    answers.keep(await answers.answer({ ...kAsInFile, dims: { s0: 8 } }, {}));
    answers.keep(await answers.answer({ ...kAsInFile, dims: { s0: 8 }, dtype: "float64" }, {}));
    assert.equal(asked.filter((text) => text.startsWith("run 2 of")).length, 1);
    assert.equal(asked.at(-1), "run 1 is given back");
  });

  it("give back what they made when the rest of an answer fails", async () => {
    for (const step of ["symbols", "whatIf", "table"] as const) {
      const asked: string[] = [];
      const answers = new Answers(failing(fake(asked), step));
      await assert.rejects(answers.answer({ ...kAsInFile, dims: { s0: 64 } }, {}), /failed/);
      const made = asked.filter((text) => text.includes(" of {") && text.startsWith("run")).length;
      const back = asked.filter((text) => text.endsWith("is given back")).length;
      assert.equal(made, step === "table" ? 2 : 1);
      assert.equal(back, made, step);
    }
  });

  it("give back what is not shown, but not what is", async () => {
    const asked: string[] = [];
    const answers = new Answers(fake(asked));
    answers.keep(await answers.answer({ ...kAsInFile, dims: { s0: 8 } }, {}));
    answers.release(await answers.answer({ ...kAsInFile, dims: { s0: 64 } }, {}));
    assert.equal(asked.at(-1), "run 2 is given back");
    assert.equal(asked.filter((text) => text.endsWith("given back")).length, 1);
  });
});

/** The same program, with runs that fail at one step. */
function failing(program: Program, step: "symbols" | "whatIf" | "table"): Program {
  const propagate = async (options?: PropagateOptions): Promise<Run> => {
    const run = await program.propagate(options);
    return { ...run, [step]: () => Promise.reject(new Error("failed")) };
  };
  return { ...program, propagate };
}
