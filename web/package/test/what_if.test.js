/** What-ifs: as if the model were exported anew, literally, and as somebody decided. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { load } from "faketensor";
import { connect } from "faketensor/worker";
import { bytesOf, classifierPath, decoderPath, llamaPath } from "./helper.js";

let ft;
before(async () => {
  ft = await load();
});

/** With a `view(4, -1)` in its code, for a batch of 4. */
const classifier = () => ft.open(bytesOf(classifierPath));
const llama = () => ft.open(bytesOf(llamaPath));

const sizeOf = (run, name) => run.value(name).size;

describe("a what-if", () => {
  it("answers as if the model were exported anew", () => {
    const run = classifier().propagate({ dims: { batch: 6 } });
    assert.deepEqual(run.problems, []);
    assert.deepEqual(sizeOf(run, "softmax"), [6, 10]);
    assert.deepEqual(run.assumed, { assumptions: 1, guesses: 0 });
    const [{ row, ...assumption }] = run.assumptions();
    assert.equal(run.node(row).name, "view");
    assert.deepEqual(assumption, {
      site: "view.0",
      node: "view",
      from: "4",
      to: "6",
      reason: "is dimension 0 of image",
      source: "make_files.py:25 in forward",
    });
  });

  it("makes symbols of dimensions that are numbers in the file", () => {
    const run = llama().propagate({
      dynamic: { batch: [1, 64], "input_ids.1": true, "attention_mask.1": true },
    });
    assert.deepEqual(run.problems, []);
    assert.deepEqual(sizeOf(run, llama().info.outputs[0]), ["batch", "attention_mask_1", 256]);
    assert.deepEqual(
      run.symbols().map(({ name, hint }) => [name, hint]),
      [
        ["batch", 2],
        ["attention_mask_1", 16],
      ],
    );
    const { holds, outputs } = run.whatIf({ batch: 64, attention_mask_1: [2, 4096] });
    assert.ok(holds);
    assert.deepEqual(outputs[0], [64, "attention_mask_1", 256]);
    assert.throws(
      () => llama().propagate({ dynamic: { batch: 4 } }),
      /dynamic.batch is true or \[lower, upper\]/,
    );
  });

  it("says between which bytes the peak lies over the range of a symbol", () => {
    const run = llama().propagate({ dynamic: { batch: [2, 64] } });
    assert.deepEqual(run.memory({ range: true }).peak.range, [29184 * 2 + 429376, 29184 * 64 + 429376]);
    assert.equal(run.memory().peak.range, undefined);
    const open = llama().propagate({ dynamic: { batch: true } });
    assert.deepEqual(open.memory({ range: true }).peak.range, [29184 * 2 + 429376, null]);
  });

  it("says what a step of training holds", () => {
    const { training } = llama()
      .propagate()
      .memory({ train: { optimizer: "adam" } });
    assert.equal(training.optimizer, "adam");
    assert.deepEqual(training.approximated, []);
    assert.deepEqual(training.untrained, []);
    const { bytes, kinds, byKind } = training.peak;
    assert.equal(
      bytes,
      byKind.reduce((sum, share) => sum + share.bytes, 0),
    );
    assert.ok(training.after.bytes < bytes);
    assert.equal(training.after.kinds.optimizer >= 2 * kinds.parameters, true);
    const run = llama().propagate();
    assert.throws(() => run.memory({ train: { optimizer: "lion" } }), /train.optimizer is sgd/);
    assert.throws(() => run.memory({ train: { optimizer: "sgd", lr: 1 } }), /unknown option 'train.lr'/);
    assert.throws(
      () => run.memory({ train: { optimizer: "sgd", checkpoint: ["nowhere"] } }),
      /no module 'nowhere'/,
    );
  });

  it("says what running the program costs, for all sizes of a batch", () => {
    const run = llama().propagate({ dynamic: { batch: true } });
    const { held, live, peaks, peak } = run.memory();
    assert.equal(held.inputs, "256*batch");
    assert.equal(peak.bytes, "29184*batch + 429376");
    assert.equal(run.node(peak.row).name, peak.name);
    assert.equal(peaks[peak.row], peak.bytes);
    assert.equal(live.length, peaks.length);
    const { name, kind, until } = peak.holders.find((holder) => holder.kind === "activations");
    assert.deepEqual({ name, kind, until }, { name: "silu", kind: "activations", until: peak.name });
    const { total, nodes, modules } = llama()
      .propagate({ dims: { batch: 8 } })
      .flops();
    assert.equal(
      total,
      nodes.reduce((sum, { flops }) => sum + flops, 0),
    );
    assert.ok(modules["model.layers.0.mlp"] < total);
  });

  it("has every storage with its lifetime as numbers, which add up to the bytes alive", () => {
    const run = llama().propagate({ dynamic: { batch: true } });
    const { kinds, storages, temporaries, flops, unknown } = run.costs({ batch: 8 });
    const { peak } = run.memory();
    const inputs = llama().info.inputs.length;
    const alive = storages.row
      .map((row, i) => ({ row, until: storages.until[i], bytes: storages.bytes[i] }))
      .filter(({ row, until }) => (row < inputs || row <= peak.row) && (until < 0 || until >= peak.row))
      .reduce((sum, { bytes }) => sum + bytes, 0);
    const inside = temporaries.row.indexOf(peak.row);
    assert.equal(alive + (inside < 0 ? 0 : temporaries.bytes[inside]), 29184 * 8 + 429376);
    assert.equal(unknown, 0);
    assert.equal(kinds[storages.kind[0]], "parameters");
    const plain = llama()
      .propagate({ dims: { batch: 8 } })
      .flops();
    assert.equal(
      flops.flops.reduce((sum, count) => sum + count, 0),
      plain.total,
    );
  });

  it("says what it takes on a device, and what fits", () => {
    const run = llama().propagate({ dims: { batch: 8 } });
    const time = run.time("h100");
    assert.equal(time.target, "h100-sxm");
    assert.equal(time.samples, 8);
    assert.equal(time.tokens, 8 * 16);
    const inBounds = time.bounds.compute + time.bounds.memory + time.bounds.launch;
    assert.ok(Math.abs(inBounds - time.seconds) < 1e-9);
    const work = run.work();
    assert.ok(work.flops > run.flops().total);
    const { over, size, targets } = run.fits({ targets: ["t4", "h100"] });
    assert.deepEqual([over, size], ["batch", 8]);
    assert.deepEqual(
      targets.map(({ name, fits }) => [name, fits]),
      [
        ["t4", true],
        ["h100-sxm", true],
      ],
    );
    const own =
      "name: mine\nmemory: {total: 4 MiB, bandwidth: 1 GB/s}\nflops: {float32: {plain: 1 TFLOPS}}\n";
    const [{ usable, largest }] = run.fits({ targets: [own] }).targets;
    // A target is on cuda unless it says otherwise, and so are the runs that fits() makes.
    const fits = (batch) =>
      llama().propagate({ dims: { batch }, device: "cuda" }).memory().peak.bytes <= usable;
    assert.ok(fits(largest.size) && !fits(largest.size + 1));
    const train = { optimizer: "adam" };
    const larger = own.replace("4 MiB", "64 MiB");
    const [step] = run.fits({ targets: [larger], train }).targets;
    const trains = (batch) =>
      llama().propagate({ dims: { batch }, device: "cuda" }).memory({ train }).training.peak.bytes <=
      step.usable;
    assert.ok(trains(step.largest.size) && !trains(step.largest.size + 1));
    assert.equal(typeof step.phase, "string");
    assert.throws(() => run.fits({ train, allocator: "" }), /allocator is of the program's own run/);
    assert.throws(() => run.fits({ train: { optimizer: "rmsprop" } }), /train.optimizer is sgd/);
    assert.throws(() => run.time("cuda"), /without a device/);
    assert.throws(
      () => run.time(own.replace("1 GB/s", "-1 GB/s")),
      /target:2:35: memory.bandwidth: more than 0/,
    );
  });

  it("compares two runs", () => {
    const a = llama().propagate();
    const b = llama().propagate({ dims: { batch: 8 } });
    const { a: before, b: after, matched, nodes } = ft.diff(a, b, { target: "h100" });
    assert.equal(after.counted, 4 * before.counted);
    assert.equal(after.peak, b.memory().peak.bytes);
    assert.equal(matched, a.memory().live.length);
    assert.ok(nodes.every(({ nameA, nameB }) => nameA === nameB));
    assert.deepEqual(ft.diff(a, a).nodes, []);
  });

  it("says what the caching allocator makes of it", () => {
    const run = llama().propagate({ dims: { batch: 512 } });
    const [own, expandable] = run.allocator(["", "expandable_segments:True"]);
    assert.equal(own.settings, "");
    assert.ok(own.allocated < own.reserved && own.requested <= own.allocated);
    assert.equal(own.device - own.reserved, 500 * 2 ** 20);
    assert.ok(expandable.reserved <= own.reserved);
    const [failed] = run.allocator([""], 4 * 2 ** 20);
    assert.match(failed.failed.message, /^CUDA out of memory. Tried to allocate/);
    assert.throws(() => run.allocator(["unknown:1"]), /Unrecognized key 'unknown' in Accelerator/);
    assert.equal(run.allocatorSnapshot()[0], 0x80); // a pickle
  });

  it("follows sizes, dtype and device of a model with rotary tables, masks and casts", () => {
    const run = llama().propagate({
      dims: { batch: 8, "input_ids.1": 64, "attention_mask.1": 64 },
      dtype: "bfloat16",
      device: "cuda",
    });
    assert.deepEqual(run.problems, []);
    const { size, dtype, device } = run.value(llama().info.outputs[0]);
    assert.deepEqual({ size, dtype, device }, { size: [8, 64, 256], dtype: "bfloat16", device: "cuda:0" });
    const assumptions = run.assumptions();
    const guesses = assumptions.filter(({ guess }) => guess === true);
    assert.deepEqual(run.assumed, { assumptions: assumptions.length, guesses: guesses.length });
    assert.ok(guesses.length > 0); // the file does not hold the texts of the lines that cast
    for (const { from, to, reason } of assumptions) {
      assert.ok(["2", "16", "torch.float32", "cpu"].includes(from), from);
      assert.ok(["8", "64", "torch.float32", "torch.bfloat16", "cuda:0"].includes(to), to);
      assert.notEqual(reason, "");
    }
    const rows = assumptions.map(({ row }) => row).filter((row) => row !== undefined);
    assert.deepEqual(
      rows,
      [...rows].sort((a, b) => a - b),
    );
  });

  it("assumes nothing where nothing is changed, nor where sizes are not written into nodes", () => {
    const none = { assumptions: 0, guesses: 0 };
    for (const [program, options] of [
      [classifier(), {}],
      [ft.open(bytesOf(decoderPath)), { dims: { batch: 8 }, dtype: "bfloat16", device: "cuda" }],
    ]) {
      const run = program.propagate(options);
      assert.deepEqual(run.problems, []);
      assert.deepEqual(run.assumed, none);
      assert.deepEqual(run.assumptions(), []);
    }
  });

  it("is FakeTensorProp where it is literal, and for exact inputs", () => {
    const program = classifier();
    const literal = program.propagate({ dims: { batch: 6 }, literal: true });
    assert.match(literal.problems[0].message, /got \[4, 192\] X \[128, 10\]/);
    assert.deepEqual(literal.assumptions(), []);
    const exact = program.propagate({ inputs: { image: { size: [6, 3, 16, 16] } } });
    assert.deepEqual(exact.problems, literal.problems);
    assert.deepEqual(exact.assumed, { assumptions: 0, guesses: 0 });
  });

  it("is as somebody decided", () => {
    const program = classifier();
    const answer = (choice) => program.propagate({ dims: { batch: 6 }, assume: { "view.0": choice } });
    const kept = answer("literal");
    assert.match(kept.problems[0].message, /got \[4, 192\] X \[128, 10\]/);
    const { to, reason, guess } = kept.assumptions()[0];
    assert.deepEqual({ to, reason, guess }, { to: "4", reason: "as asked", guess: undefined });
    assert.deepEqual(sizeOf(answer("6"), "softmax"), [6, 10]);
    assert.deepEqual(sizeOf(answer("3"), "view"), [3, 256]);
  });

  it("keeps a dtype that somebody decided to keep, of one node and no other", () => {
    const program = llama();
    const options = { dtype: "bfloat16" };
    const follows = program
      .propagate(options)
      .assumptions()
      .find(({ node, site, from, to }) => node !== undefined && site.endsWith(".dtype") && from !== to);
    const run = program.propagate({ ...options, assume: { [follows.site]: "literal" } });
    assert.equal(run.value(follows.node).dtype, "float32");
    const decided = run.assumptions().filter(({ reason }) => reason === "as asked");
    assert.deepEqual(
      decided.map(({ site }) => site),
      [follows.site],
    );
  });

  it("refuses what cannot be decided", () => {
    const program = classifier();
    const refused = [
      [{ "nobody.0": "literal" }, /^nothing can be assumed of 'nobody\.0'/],
      [{ "view.7": "literal" }, /^nothing can be assumed of 'view\.7'/],
      [{ "view.colour": "literal" }, /^nothing can be assumed of 'view\.colour'/],
      [{ "view.0": "follows" }, /^'view\.0' is assumed to be literal or a number, not 'follows'/],
      [{ "view.0": "" }, /^'view\.0' is assumed to be literal or a number, not ''/],
      [{ "view.0": 4 }, /^'assume\.view\.0' must be text/],
    ];
    for (const [assume, message] of refused) {
      assert.throws(() => program.propagate({ dims: { batch: 6 }, assume }), { name: "UsageError", message });
    }
    const other = { device: "cuda", assume: { "arange.device": "7" } };
    assert.throws(() => llama().propagate(other), {
      name: "UsageError",
      message: "'arange.device' is assumed to be literal or follows, not '7'",
    });
    assert.throws(() => program.propagate({ literal: "yes" }), { name: "UsageError" });
  });

  it("is what the command answers", () => {
    const command = fileURLToPath(new URL("../dist/command.js", import.meta.url));
    const words = ["--set", "batch=8", "--dtype", "bfloat16", "--assume", "arange.device=literal"];
    const args = [command, "propagate", llamaPath, ...words, "--device", "cuda", "--format", "json"];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
    const printed = JSON.parse(stdout);
    const assume = { "arange.device": "literal" };
    const run = llama().propagate({ dims: { batch: 8 }, dtype: "bfloat16", device: "cuda", assume });
    assert.deepEqual(printed.assumptions, run.assumptions());
    assert.deepEqual(printed.problems.length, run.problems.length);
    for (const { name, val } of printed.nodes.slice(-2)) assert.deepEqual(run.value(name), val, name);
  });
});

describe("a what-if in a worker", () => {
  let remote;
  before(async () => {
    remote = await connect();
  });
  after(() => remote.terminate());

  it("assumes as the one in this thread does", async () => {
    const program = await remote.open(new Blob([bytesOf(llamaPath)]));
    const options = { dims: { batch: 8 }, dtype: "bfloat16" };
    const run = await program.propagate(options);
    const here = llama().propagate(options);
    assert.deepEqual(run.assumed, here.assumed);
    assert.deepEqual(await run.assumptions(), here.assumptions());
    const literal = await program.propagate({ ...options, literal: true });
    assert.deepEqual(await literal.assumptions(), []);
    await assert.rejects(program.propagate({ ...options, assume: { nobody: "literal" } }), {
      name: "UsageError",
    });
  });
});

/** What models answer that were exported again: recorded outside of this repository. */
const recorded = new URL("../../../../shared/conformance/whatif/", import.meta.url);

for (const model of ["resnet18", "qwen2"]) {
  it(`answers as ${model} exported anew`, { skip: !existsSync(recorded) }, () => {
    const text = gunzipSync(readFileSync(new URL(`${model}/static.answers.jsonl.gz`, recorded))).toString();
    const [, ...settings] = text.trimEnd().split("\n").map(JSON.parse);
    const program = ft.open(bytesOf(new URL(`${model}/static.json.gz`, recorded)));
    for (const { id, options, nodes } of settings) {
      const run = program.propagate(optionsOf(options));
      assert.deepEqual(run.problems, [], id);
      for (const [name, , expected] of nodes) {
        if (!isTensor(expected)) continue;
        const { size, stride, dtype, device } = run.value(name);
        assert.deepEqual([size, stride, dtype, device], expected, `${id} ${name}`);
      }
    }
  });
}

function isTensor(value) {
  return Array.isArray(value) && typeof value[2] === "string";
}

/** Of the command's words. */
function optionsOf(words) {
  const options = { dims: {} };
  for (let i = 0; i < words.length; i += 2) {
    const [name, size] = words[i + 1].split("=");
    if (words[i] === "--set") options.dims[name] = Number(size);
    else options[words[i].slice(2)] = words[i + 1];
  }
  return options;
}
