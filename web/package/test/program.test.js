import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { dimsOf, load, Status, ValueKind } from "faketensor";
import { bytesOf, classifierPath, customPath, decoderPath, pairsPath } from "./helper.js";

let ft;
before(async () => {
  ft = await load();
});

const classifier = () => ft.open(bytesOf(classifierPath), { name: "classifier.pt2" });
const decoder = () => ft.open(bytesOf(decoderPath), { name: "decoder.json.gz" });

describe("load", () => {
  const wasm = new URL("../dist/faketensor.wasm", import.meta.url);

  it("takes bytes, a compiled module, an address and promises of them", async () => {
    const bytes = new Uint8Array(await readFile(wasm));
    for (const input of [bytes, bytes.buffer, readFile(wasm), WebAssembly.compile(bytes), wasm, wasm.href]) {
      assert.equal((await load({ wasm: input })).info.torch, "2.13.0");
    }
  });

  it("takes a response, whatever type the server gave it", async () => {
    for (const type of ["application/wasm", "application/octet-stream"]) {
      const response = new Response(await readFile(wasm), { headers: { "content-type": type } });
      assert.equal((await load({ wasm: response })).info.torch, "2.13.0");
    }
  });

  it("says what could not be fetched", async () => {
    const response = new Response("gone", { status: 404, statusText: "Not Found" });
    await assert.rejects(load({ wasm: response }), /could not fetch .*404 Not Found/);
  });

  it("refuses bytes that are no module", async () => {
    await assert.rejects(load({ wasm: new Uint8Array(8) }), WebAssembly.CompileError);
  });
});

describe("a program", () => {
  it("is described: inputs, outputs, modules", () => {
    const { info } = classifier();
    assert.equal(info.name, "classifier.pt2");
    assert.equal(info.kind, "pt2");
    assert.match(info.schemaVersion, /^8\.\d+$/);
    assert.equal(info.inputs.filter((input) => input.kind === "user").length, 1);
    assert.ok(info.inputs.some((input) => input.kind === "parameter" && input.target.endsWith("weight")));
    assert.equal(info.modules[0].parent, -1);
    for (const [id, module] of info.modules.entries()) {
      assert.equal(module.id, id);
      assert.ok(module.parent < id && module.last >= module.first);
    }
  });

  it("opens from gzip, from plain JSON and from an ArrayBuffer alike", () => {
    const zipped = bytesOf(decoderPath);
    const plain = new Uint8Array(gunzipSync(zipped));
    const [first, ...others] = [zipped, plain, plain.slice().buffer].map((from) => ft.open(from).info);
    for (const other of others) assert.deepEqual(other, first);
  });

  it("gives equal modules equal hashes", () => {
    const { modules } = decoder().info;
    const layers = modules.filter((module) => /layers\.\d+$/.test(module.path));
    assert.ok(layers.length > 1);
    assert.equal(new Set(layers.map((module) => module.hash)).size, 1);
    assert.notEqual(modules[0].hash, layers[0].hash);
  });

  it("of gigabytes is opened by reading its directory and its graph", () => {
    const { size, read, total } = withHugeEntry(bytesOf(classifierPath), 3 * 2 ** 30);
    const program = ft.open({ size, read });
    assert.deepEqual({ ...program.info, name: "" }, { ...classifier().info, name: "" });
    assert.ok(total() < 2 ** 20, `${total()} of ${size} bytes were read`);
  });

  it("closes its source, also after a failure", () => {
    let closed = 0;
    assert.throws(() => ft.open({ size: 4, read: () => new Uint8Array(4), close: () => closed++ }));
    assert.equal(closed, 1);
  });

  it("opens from a path", async () => {
    assert.equal((await ft.openFile(classifierPath)).info.name, classifierPath);
    await assert.rejects(ft.openFile(`${classifierPath}.missing`), { code: "ENOENT" });
  });
});

describe("an unreadable file", () => {
  const cases = {
    nothing: new Uint8Array(),
    "no JSON": new TextEncoder().encode("not json"),
    "a truncated archive": bytesOf(classifierPath).slice(0, 2000),
    "JSON of something else": new TextEncoder().encode('{"a": [1, 2]}'),
  };
  for (const [what, bytes] of Object.entries(cases)) {
    it(`that holds ${what} is an error with its name, and the engine lives on`, () => {
      assert.throws(() => ft.open(bytes, { name: "bad.pt2" }), /bad\.pt2/);
      classifier().dispose();
    });
  }

  it("that needs more memory than it may take is refused, with the limit", () => {
    const bytes = bytesOf(classifierPath);
    assert.throws(() => ft.open(bytes, { memoryLimit: 2000 }), /memory limit of 2000 bytes/);
    assert.throws(() => ft.open(bytes, { memoryLimit: 0 }), /memoryLimit is to be above 0, not 0/);
    ft.open(bytes, { memoryLimit: 2 ** 40 }).dispose();
  });

  it("whose reader throws rethrows that", () => {
    const read = () => {
      throw new RangeError("the drive is gone");
    };
    assert.throws(() => ft.open({ size: 1000, read }), { name: "RangeError", message: "the drive is gone" });
  });

  it("that became shorter while it was read is an error", () => {
    assert.throws(() => ft.open({ size: 1000, read: () => new Uint8Array(1) }), {
      name: "UnreadableInput",
      message: "input: the file could not be read",
    });
  });
});

describe("a run", () => {
  it("answers values by name", () => {
    const program = classifier();
    const run = program.propagate();
    const value = run.value(program.info.outputs[0]);
    assert.equal(value.dtype, "float32");
    assert.ok(value.size.length > 0 && value.nbytes > 0);
    assert.equal(run.value("there is no such node"), undefined);
  });

  it("has a table that agrees with the values", () => {
    const program = decoder();
    const run = program.propagate();
    const table = run.table();
    assert.equal(table.length, program.info.nodes);
    assert.equal(run.table(), table);
    for (let row = 0; row < table.length; row++) {
      if (table.kind[row] !== ValueKind.tensor) continue;
      const value = run.value(table.names[row]);
      assert.deepEqual(value.size, dimsOf(table, row), table.names[row]);
      assert.deepEqual(value.stride, dimsOf(table, row, "stride"), table.names[row]);
      assert.equal(value.dtype, table.dtypes[table.dtype[row]]);
      assert.equal(value.t, table.tensor[row]);
      assert.equal(value.storage, table.storage[row]);
    }
  });

  it("names what each node reads, which is before it", () => {
    const table = decoder().propagate().table();
    for (let row = 0; row < table.length; row++) {
      const inputs = table.inputs.subarray(table.inputStart[row], table.inputStart[row + 1]);
      for (const input of inputs) assert.ok(input < row);
    }
  });

  it("follows changed sizes, each run its own", () => {
    const program = classifier();
    const input = program.info.inputs.find(({ kind }) => kind === "user");
    const run = program.propagate({ dims: { batch: 17 } });
    assert.equal(run.value(input.name).size[0], 17);
    const size = [5, ...input.size.slice(1)];
    const other = program.propagate({ inputs: { [input.name]: { size } } });
    assert.equal(other.value(input.name).size[0], 5);
    assert.equal(run.value(input.name).size[0], 17);
  });

  it("follows a changed dtype and device", () => {
    const program = classifier();
    const value = program.propagate({ dtype: "bfloat16", device: "cuda" }).value(program.info.outputs[0]);
    assert.equal(value.dtype, "bfloat16");
    assert.equal(value.device, "cuda:0");
  });

  it("lists an operator without a rule as unknown and answers the rest", () => {
    const program = ft.open(bytesOf(customPath));
    assert.equal(program.info.unknownOps.length, 1);
    const run = program.propagate();
    assert.equal(run.ok, false);
    const [problem] = run.problems;
    assert.equal(problem.kind, "unknown");
    const table = run.table();
    assert.equal(table.status[problem.node], Status.unknown);
    assert.equal(table.names[problem.node], problem.name);
    assert.equal(run.node(problem.node).problem.message, problem.message);
    assert.ok(table.status.includes(Status.ok));
  });

  it("describes a node for an inspector", () => {
    const run = classifier().propagate();
    const table = run.table();
    const inputsOf = (row) => table.inputs.subarray(table.inputStart[row], table.inputStart[row + 1]);
    const row = table.status.findIndex((status, i) => status === Status.ok && inputsOf(i).length > 1);
    const detail = run.node(row);
    assert.equal(detail.name, table.names[row]);
    assert.match(detail.schema, /^aten::\w+.*->/);
    assert.deepEqual([...new Set(detail.args.flatMap((argument) => argument.nodes))], [...inputsOf(row)]);
    assert.throws(() => run.node(table.length), { name: "IndexError" });
  });

  it("refuses options that mean nothing", () => {
    const program = classifier();
    for (const options of [
      { target: "abacus" },
      { dtype: "float1" },
      { device: "toaster" },
      { dims: { no_such: 3 } },
      { nonsense: 1 },
    ]) {
      assert.throws(() => program.propagate(options), { name: "UsageError" }, JSON.stringify(options));
    }
  });

  it("refuses what it could only round or guess, in plain words", () => {
    const program = classifier();
    for (const [options, message] of [
      [{ dims: { batch: 2.7 } }, "'dims.batch' must be an integer, not 2.7"],
      [{ dims: { batch: "2" } }, "'dims.batch' must be an integer, not \"2\""],
      [{ dims: { batch: 2 ** 80 } }, "'dims.batch' must be an integer, not 1.2089258196146292e+24"],
      [{ dims: 2 }, "'dims' must be an object, not 2"],
      [{ stopAtFirstError: 1 }, "'stopAtFirstError' must be true or false, not 1"],
    ]) {
      assert.throws(() => program.propagate(options), { name: "UsageError", message });
    }
    const run = program.propagate();
    assert.throws(() => run.whatIf({ batch: 2.5 }), {
      name: "UsageError",
      message: "'symbols.batch' must be an integer, not 2.5",
    });
  });

  it("reports progress that grows, and stops when told", () => {
    const program = decoder();
    let last = 0;
    const onProgress = (done, total) => {
      assert.ok(done >= last && done <= total);
      last = done;
    };
    program.propagate({ onProgress });
    const reason = new Error("enough");
    assert.throws(() => program.propagate({ signal: AbortSignal.abort(reason) }), reason);
    assert.ok(program.propagate().table().length > 0);
  });

  it("outlives its program, and is gone when disposed", () => {
    const program = classifier();
    const run = program.propagate();
    program.dispose();
    assert.ok(run.value(program.info.outputs[0]));
    assert.throws(() => program.propagate(), /has been disposed/);
    run.dispose();
    run.dispose();
    for (const use of [() => run.node(0), () => run.value("x"), () => run.table()]) {
      assert.throws(use, { name: "TypeError", message: "this Run has been disposed" });
    }
    classifier().dispose();
  });
});

describe("bodies of higher-order operators", () => {
  const text = `class GraphModule(torch.nn.Module):
    def forward(self, pred: "b8[]", x: "f32[2, 3]"):
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(pred, true_graph_0, false_graph_0, (x,));  true_graph_0 = false_graph_0 = None
        getitem: "f32[2, 3]" = cond[0]
        return (getitem,)

    class true_graph_0(torch.nn.Module):
        def forward(self, x: "f32[2, 3]"):
            sin: "f32[2, 3]" = torch.ops.aten.sin.default(x)
            return (sin,)

    class false_graph_0(torch.nn.Module):
        def forward(self, x: "f32[2, 3]"):
            cos: "f32[2, 3]" = torch.ops.aten.cos.default(x)
            return (cos,)
`;
  const opened = (bodies) => ft.open(new TextEncoder().encode(text), { bodies });

  it("are rows and modules where that is asked for", () => {
    const program = opened(true);
    assert.deepEqual(
      program.info.modules.slice(1).map(({ path, type }) => `${path}: ${type}`),
      ["cond: cond", "cond.true_graph_0: graph", "cond.false_graph_0: graph"],
    );
    const run = program.propagate({ dims: { "x.0": 5 } });
    const table = run.table();
    const row = table.names.indexOf("true_graph_0/sin");
    assert.deepEqual(dimsOf(table, row), [5, 3]);
    assert.deepEqual(run.node(row).value.size, [5, 3]);
    // What is asked of the program itself has no rows of them.
    assert.equal(program.text("graph"), opened(false).text("graph"));
    assert.equal(program.source().text, text);
    assert.equal(program.source().lines[row], 0);
    const plain = opened(false).propagate({ dims: { "x.0": 5 } });
    assert.equal(run.memory().peak.bytes, plain.memory().peak.bytes);
  });

  it("are no part of the program else", () => {
    const table = opened(false).propagate().table();
    assert.deepEqual(table.names, ["pred", "x", "cond", "getitem", "output"]);
  });
});

describe("a layout", () => {
  it("draws every box inside its parent, and edges between boxes", () => {
    const program = decoder();
    const closed = program.layout();
    const all = program.layout({ expanded: program.info.modules.map((module) => module.id) });
    assert.ok(all.box.count > closed.box.count);
    for (const { box, edge } of [closed, all]) {
      for (let i = 0; i < box.count; i++) {
        const parent = box.parent[i];
        if (parent < 0) continue;
        assert.ok(box.x[i] >= box.x[parent] && box.x[i] + box.w[i] <= box.x[parent] + box.w[parent]);
        assert.ok(box.y[i] >= box.y[parent] && box.y[i] + box.h[i] <= box.y[parent] + box.h[parent]);
      }
      assert.equal(edge.pointStart.length, edge.count + 1);
      assert.equal(edge.points.length, 2 * edge.pointStart[edge.count]);
      for (let i = 0; i < edge.count; i++) assert.ok(edge.from[i] < box.count && edge.to[i] < box.count);
    }
  });
});

describe("operators", () => {
  it("are listed with their schemas, by a part of their name", () => {
    const found = ft.operators("aten::add.");
    const names = found.map(({ name }) => name);
    assert.deepEqual(names, [...names].sort());
    assert.ok(found.some(({ schema }) => schema.startsWith("aten::add.Tensor(Tensor self, Tensor other")));
    assert.deepEqual(ft.operators("no such operator"), []);
  });
});

/** A ZIP archive with one more entry, of `bytes` stored zeros: a source that makes them up when they are read. */
function withHugeEntry(archive, bytes) {
  const end = archive.length - 22; // PyTorch writes no comment
  const tail = new DataView(archive.buffer, archive.byteOffset + end);
  const directoryAt = tail.getUint32(16, true);
  const name = new TextEncoder().encode("classifier/data/weights/huge");

  const local = new DataView(new ArrayBuffer(30 + name.length));
  local.setUint32(0, 0x04034b50, true);
  const entry = new DataView(new ArrayBuffer(46 + name.length));
  entry.setUint32(0, 0x02014b50, true);
  for (const [header, at] of [
    [local, 18],
    [entry, 20],
  ]) {
    header.setUint32(at, bytes, true);
    header.setUint32(at + 4, bytes, true);
    header.setUint16(at + 8, name.length, true);
    new Uint8Array(header.buffer).set(name, header.byteLength - name.length);
  }
  entry.setUint32(42, directoryAt, true);

  const newEnd = archive.slice(end);
  const closing = new DataView(newEnd.buffer);
  for (const at of [8, 10]) closing.setUint16(at, tail.getUint16(at, true) + 1, true);
  closing.setUint32(12, tail.getUint32(12, true) + entry.byteLength, true);
  closing.setUint32(16, directoryAt + local.byteLength + bytes, true);

  const front = Buffer.concat([archive.subarray(0, directoryAt), new Uint8Array(local.buffer)]);
  const directory = archive.subarray(directoryAt, directoryAt + tail.getUint32(12, true));
  const back = Buffer.concat([directory, new Uint8Array(entry.buffer), newEnd]);
  let total = 0;
  const read = (offset, length) => {
    total += length;
    const result = new Uint8Array(length);
    for (const [part, begin] of [
      [front, 0],
      [back, front.length + bytes],
    ]) {
      const from = Math.max(offset, begin);
      const to = Math.min(offset + length, begin + part.length);
      if (from < to) result.set(part.subarray(from - begin, to - begin), from - offset);
    }
    return result;
  };
  return { size: front.length + bytes + back.length, read, total: () => total };
}

describe("why a run has its guards and sizes", () => {
  const run = () => ft.open(bytesOf(pairsPath), { name: "pairs.json" }).propagate({ pythonDispatcher: true });

  it("lists what was decided, with the node, call and source line that caused it", () => {
    const guards = run().guards();
    assert.deepEqual(
      guards.find(({ kind }) => kind === "specialisation"),
      {
        ...{ kind: "specialisation", text: "s9 = 8", node: "reshape", row: 3 },
        ...{ call: "aten.reshape(x [2*s31, s9])", source: "model.py:8 in forward" },
      },
    );
    const needed = guards.filter(({ follows }) => !follows).map(({ kind, text }) => [kind, text]);
    assert.deepEqual(needed, [
      ["specialisation", "s9 = 8"],
      ["runtime_assert", "3 <= u0"],
    ]);
    assert.deepEqual(decoder().propagate().guards(), []);
  });

  it("follows a dimension back to where its size came from", () => {
    const steps = run().why("reshape", 2);
    assert.deepEqual([steps[0].node, steps[0].dim, steps[0].size], ["reshape", 2, "8"]);
    assert.equal(steps.at(-1).node, "x");
    assert.deepEqual([steps.at(-1).cause, steps.at(-1).causeRow], ["reshape", 3]);
    assert.deepEqual(run().why("reshape", -1), steps);
    assert.throws(() => run().why("reshape", 9), { name: "UsageError" });
    assert.throws(() => run().why("nowhere", 0), { name: "UsageError" });
  });

  it("lists the symbols, where they stand and what they became", () => {
    const symbols = run().symbols();
    assert.deepEqual(symbols[0], { name: "s31", node: "mask", row: 2, dim: 0, range: [2, 512], hint: 6 });
    assert.deepEqual(
      symbols.map(({ name, became }) => [name, became]),
      [
        ["s31", undefined],
        ["s9", "8"],
        ["u0", undefined],
      ],
    );
    assert.equal("hint" in symbols[2], false);
    assert.deepEqual(decoder().propagate().symbols(), []);
  });

  it("is no other run's business", () => {
    const program = ft.open(bytesOf(pairsPath), { name: "pairs.json" });
    const needed = (of) => of.guards().flatMap(({ follows, text }) => (follows ? [] : [text]));
    const free = program.propagate();
    const wide = program.propagate({ dims: { s9: 16 } });
    assert.deepEqual(needed(free), ["s9 = 8", "3 <= u0"]);
    assert.deepEqual(needed(wide), ["3 <= u0", "u0 <= 2048"]);
    assert.deepEqual(wide.value("masked_select").size, ["u0"]);
    assert.equal(free.why("reshape", 2)[0].size, "8");
    assert.deepEqual(needed(program.propagate()), needed(free));
  });

  it("has a table for other sizes, without propagating again", () => {
    const of = run();
    const row = of.table().names.indexOf("reshape");
    const sizes = (symbols) => dimsOf(of.table(symbols), row);
    assert.deepEqual(sizes(undefined), ["((s31*s9)//8)", "((2*s31)//(((s31*s9)//8)))", "s9"]);
    assert.deepEqual(sizes({}), ["s31", 2, 8]);
    assert.deepEqual(sizes({ s31: 6 }), [6, 2, 8]);
    assert.deepEqual(sizes({ s31: [2, 64] }), ["s31", 2, 8]);
    const plain = decoder().propagate();
    assert.deepEqual(plain.table({}).size, plain.table().size);
  });

  it("says what other sizes break, and what they give where nothing breaks", () => {
    const of = run();
    const six = of.whatIf({ s31: 6 }, ["x"]);
    const bytes = { x: [[384, 384]] };
    assert.deepEqual(six, {
      ...{ holds: true, broken: [], outputs: [[6, 4], ["u0"]] },
      ...{ nodes: { x: [[12, 8]] }, bytes },
    });
    assert.deepEqual(of.whatIf({ s31: [2, 64] }, ["x"]).bytes, { x: [[128, 4096]] });
    assert.deepEqual(of.whatIf({ s31: [2, 64] }).outputs[0], ["s31", 4]);
    const { holds, broken } = of.whatIf({ s31: 1000 });
    assert.equal(holds, false);
    assert.deepEqual(
      broken.map(({ text, verdict }) => [text, verdict]),
      [["s31 in [2, 512]", "violated"]],
    );
    assert.throws(() => of.whatIf({ s99: 1 }), { name: "UsageError", message: /it has s31, s9, u0/ });
  });
});

/** The program of pairs.json, changed as JSON. */
function changedPairs(change) {
  const text = new TextDecoder().decode(bytesOf(pairsPath));
  const program = JSON.parse(text);
  change(program.graph_module);
  return ft.open(new TextEncoder().encode(JSON.stringify(program)), { name: "changed" });
}

describe("what a run says of itself", () => {
  it("is its own, also when another run is asked in the middle of it", () => {
    const program = ft.open(bytesOf(pairsPath));
    const expected = program.propagate().guards();
    const other = program.propagate({ dims: { s31: 6, s9: 8 } });
    const before = other.guards();
    let asked = 0;
    const run = program.propagate({ onProgress: () => (asked += other.guards().length + 1) });
    assert.ok(asked > 0);
    assert.deepEqual(run.guards(), expected);
    assert.deepEqual(other.guards(), before);
  });

  it("tells hundreds of devices apart", () => {
    const program = changedPairs(({ graph, signature }) => {
      const like = graph.tensor_values.mask;
      const names = Array.from({ length: 300 }, (_, i) => `input_${i}`);
      graph.inputs = names.map((name) => ({ as_tensor: { name } }));
      graph.outputs = [graph.inputs[0]];
      graph.nodes = [];
      graph.tensor_values = Object.fromEntries(
        names.map((name, i) => {
          const device = { type: ["cuda", "xpu", "xla"][i % 3], index: Math.floor(i / 3) };
          return [name, { ...like, sizes: [{ as_int: 2 }], strides: [{ as_int: 1 }], device }];
        }),
      );
      signature.input_specs = graph.inputs.map((arg) => ({ user_input: { arg } }));
      signature.output_specs = [{ user_output: { arg: graph.outputs[0] } }];
    });
    const table = program.propagate().table();
    const { inputs } = program.info;
    assert.equal(inputs.length, 300);
    assert.equal(table.devices[table.device[299]], "xla:99");
    for (const { node, device } of inputs) assert.equal(table.devices[table.device[node]], device);
  });

  it("has the hint of a guard on what only data tells", () => {
    const program = changedPairs(({ graph }) => {
      const last = graph.nodes.at(-1);
      last.target = "torch.ops.aten.tensor_split.sections";
      last.inputs[1] = { name: "sections", arg: { as_int: 2 }, kind: 1 };
    });
    const run = program.propagate();
    const problem = run.problems.find(({ kind }) => kind === "error");
    assert.equal(problem.class, "GuardOnDataDependentSymNode");
    assert.match(problem.hint, /torch\._check|Python dispatcher/);
    assert.equal(run.node(problem.node).problem.hint, problem.hint);
  });

  it("names the argument that is at fault", () => {
    const program = changedPairs(({ graph }) => {
      graph.nodes[2].inputs[0].arg = { as_int: 3 };
    });
    const [problem] = program.propagate().problems;
    assert.equal(problem.argument, "self");
    assert.throws(() => ft.mode().call("aten::relu", [3]), {
      operator: "aten::relu.default",
      argument: "self",
    });
  });
});
