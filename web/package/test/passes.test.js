import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { ExportPass, load } from "faketensor";
import { connect } from "faketensor/worker";
import { bytesOf, classifierPath, decoderPath, llamaPath, resnetPath } from "./helper.js";

let ft;
before(async () => {
  ft = await load();
});

const text = (code, name = "typed.txt") => ft.open(new TextEncoder().encode(code), { name });
const typed = () =>
  text(`def forward(self, x: "f32[2, 3]", y: "f32[2, 3]"):
    add = torch.ops.aten.add.Tensor(x, y, alpha = 2)
    relu = torch.ops.aten.relu.default(add)
    return (relu,)
`);

describe("the table of passes", () => {
  it("has names, arguments and what they do, sorted", () => {
    const passes = ft.passes();
    const names = passes.map(({ name }) => name);
    assert.deepEqual(names, [...names].sort());
    assert.deepEqual(
      passes.find(({ name }) => name === "cse"),
      { name: "cse", argument: "", about: "what is computed twice is computed once" },
    );
    assert.equal(passes.find(({ name }) => name === "move_to_device").argument, "/DEVICE");
  });
});

describe("runPass", () => {
  const pattern = `def forward(self, a, b, scale):
    add = torch.ops.aten.add.Tensor(a, b, alpha = scale)
    return torch.ops.aten.relu.default(add)`;
  const replacement = `def forward(self, a, b, scale):
    return torch.ops.aten._add_relu.Tensor(a, b, alpha = scale)`;

  it("puts one graph where another stands", () => {
    const { program, passes } = typed().runPass([{ pattern, replacement }, "dce"]);
    assert.deepEqual(passes[0], {
      name: "replace_pattern",
      modified: true,
      info: { matches: ["relu_default"] },
    });
    assert.match(program.text("graph"), /_add_relu\.Tensor\]\(args = \(%x, %y\), kwargs = \{alpha: 2\}\)/);
  });

  it("tells what is wrong with a pattern, and where", () => {
    assert.throws(() => typed().runPass({ pattern: pattern.replace("(add)", "(ad)"), replacement }), {
      name: "UnreadableInput",
      message: /^pattern:3:\d+: ad is not defined/,
    });
  });

  it("gives a new program and what changed, and leaves the old one", () => {
    const program = ft.open(bytesOf(decoderPath), { name: "decoder.json.gz" });
    const before = program.text("graph");
    const { program: made, modified, passes, diff } = program.runPass("run_decompositions");
    assert.ok(modified);
    assert.deepEqual(passes, [{ name: "run_decompositions", modified: true, info: null }]);
    assert.match(diff, /^-.*aten\.linear\.default/m);
    assert.match(diff, /^\+.*aten\.(?:addmm|mm)\.default/m);
    assert.equal(program.text("graph"), before);
    assert.doesNotMatch(made.text("graph"), /aten\.linear\.default/);
    assert.deepEqual(made.propagate().problems, []);
  });

  it("runs several, one after the other, and on what a pass has made", () => {
    const program = ft.open(bytesOf(decoderPath));
    const together = program.runPass(["run_decompositions", "cse", "dce"]).program;
    const apart = program.runPass("run_decompositions").program.runPass(["cse", "dce"]).program;
    assert.equal(together.text("graph"), apart.text("graph"));
    assert.deepEqual(
      program
        .runPass([])
        .diff.split("\n")
        .filter((line) => line !== "" && !line.startsWith(" ")),
      [],
    );
  });

  it("tells what a pass found", () => {
    const { passes } = typed().runPass("get_size_of_all_nodes");
    assert.equal(typeof passes[0].info, "object");
  });

  it("refuses names that there are not, and what a pass does not take", () => {
    const program = typed();
    assert.throws(() => program.runPass("abacus"), {
      name: "UsageError",
      message: /no pass is called 'abacus'/,
    });
    assert.throws(() => program.runPass("cse/4"), { name: "UsageError", message: /takes no '4'/ });
    assert.throws(
      () => program.runPass(7),
      /a pass is to be a name, a pattern or what exportPass\(\) gives, not a number/,
    );
    assert.throws(() => program.runPass({}), TypeError);
  });

  it("says where no exported program comes of it, with the text of what does", () => {
    const result = ft.open(bytesOf(decoderPath)).runPass("split_by_tags/8");
    assert.match(result.text, /class GraphModule/);
    assert.throws(() => result.program, { name: "UsageError" });
  });

  it("reads a file by its path again", async () => {
    const program = await ft.openFile(classifierPath);
    assert.match(program.runPass("dce").program.text(), /def forward/);
  });

  it("of an archive is refused for a program that is disposed", () => {
    const program = typed();
    program.dispose();
    assert.throws(() => program.runPass("dce"), /disposed/);
    assert.throws(() => program.toJson(), /disposed/);
  });
});

describe("an export pass of functions", () => {
  it("replaces an operator, with the arguments as they were", () => {
    const addToSub = ft.exportPass({
      callOperator(op, args, kwargs, meta) {
        return super.callOperator(op === "aten.add.Tensor" ? "aten.sub.Tensor" : op, args, kwargs, meta);
      },
    });
    const { program } = typed().runPass(addToSub);
    assert.match(
      program.text("graph"),
      /%sub : .* = call_function\[target=torch\.ops\.aten\.sub\.Tensor\]\(args = \(%x, %y\), kwargs = \{alpha: 2\}\)/,
    );
    assert.deepEqual(program.propagate().value("relu").size, [2, 3]);
  });

  it("may be a class", () => {
    class Twice extends ExportPass {
      callOperator(op, args, kwargs, meta) {
        const once = super.callOperator(op, args, kwargs, meta);
        return op === "aten.relu.default" ? super.callOperator("aten::relu", [once], {}, meta) : once;
      }
    }
    assert.match(typed().runPass(new Twice()).program.text("graph"), /relu_1 .* args = \(%relu,\)|relu_1/);
  });

  it("is the same as the rules of a pass by name", () => {
    const program = ft.open(bytesOf(llamaPath));
    const same = ft.exportPass({
      callOperator: (op, args, kwargs, meta) => unchanged.callOperator(op, args, kwargs, meta),
      callGetitem: (value, key, meta) => unchanged.callGetitem(value, key, meta),
      callSym: (op, args, meta) => unchanged.callSym(op, args, meta),
      placeholder: (name, value, meta) => unchanged.placeholder(name, value, meta),
      output: (results, meta) => unchanged.output(results, meta),
    });
    const unchanged = {
      callOperator: (...given) => ExportPass.prototype.callOperator.call(same, ...given),
      callGetitem: (...given) => ExportPass.prototype.callGetitem.call(same, ...given),
      callSym: (...given) => ExportPass.prototype.callSym.call(same, ...given),
      placeholder: (...given) => ExportPass.prototype.placeholder.call(same, ...given),
      output: (...given) => ExportPass.prototype.output.call(same, ...given),
    };
    const mine = program.runPass(same).program;
    const theirs = program.runPass("export_pass").program;
    assert.equal(mine.toJson(), theirs.toJson());
  });

  it("sees the values: sizes, dtypes, and the same node as the same object", () => {
    const seen = [];
    const program = text(`def forward(self, x: "bf16[2, 3]"):
    mul = torch.ops.aten.mul.Tensor(x, x)
    mul_1 = torch.ops.aten.mul.Tensor(mul, 2.0)
    return (mul_1,)
`);
    program.runPass(
      ft.exportPass({
        callOperator(op, args, kwargs, meta) {
          seen.push([op, args[0].size, args[0].dtype, args[0] === args[1], typeof meta.stackTrace]);
          return super.callOperator(op, args, kwargs, meta);
        },
      }),
    );
    assert.deepEqual(seen, [
      ["aten.mul.Tensor", [2, 3], "bfloat16", true, "string"],
      ["aten.mul.Tensor", [2, 3], "bfloat16", false, "string"],
    ]);
  });

  it("keeps floats that are whole, enums, strings and lists of sizes", () => {
    const program = text(`def forward(self, x: "i64[2, 3]"):
    mul = torch.ops.aten.mul.Tensor(x, 2.0)
    view = torch.ops.aten.view.default(mul, [3, 2])
    _to_copy = torch.ops.aten._to_copy.default(view, dtype = torch.float64)
    gelu = torch.ops.aten.gelu.default(_to_copy, approximate = 'tanh')
    split = torch.ops.aten.split.Tensor(gelu, 1)
    getitem = split[0]
    cat = torch.ops.aten.cat.default([getitem, getitem], 1)
    return (cat, mul)
`);
    const pass = ft.exportPass({
      callOperator(...given) {
        return super.callOperator(...given);
      },
      callGetitem(...given) {
        return super.callGetitem(...given);
      },
      output(...given) {
        return super.output(...given);
      },
    });
    const theirs = program.runPass("export_pass").program;
    assert.equal(program.runPass(pass).program.text("graph"), theirs.text("graph"));
    assert.match(theirs.text("graph"), /args = \(%x, 2\.0\)/);
    assert.deepEqual(theirs.propagate().value("mul").dtype, "float32");
  });

  it("raises what an operator raises, with the node that was run", () => {
    const pass = ft.exportPass({
      callOperator(op, args, kwargs, meta) {
        return op === "aten.relu.default"
          ? super.callOperator("aten.view.default", [args[0], [7]], {}, meta)
          : super.callOperator(op, args, kwargs, meta);
      },
    });
    assert.throws(
      () => typed().runPass(pass),
      (error) => {
        assert.equal(error.name, "RuntimeError");
        assert.match(error.message, /shape '\[7\]' is invalid for input of size 6/);
        assert.match(error.message, /While executing %relu/);
        return true;
      },
    );
  });

  it("throws what its function throws, and the engine lives on", () => {
    const wrong = new RangeError("no more");
    const pass = ft.exportPass({
      callOperator() {
        throw wrong;
      },
    });
    assert.throws(
      () => typed().runPass(pass),
      (error) => error === wrong,
    );
    assert.throws(() => pass.output([]), /while it runs/);
    assert.deepEqual(typed().propagate().problems, []);
  });

  it("may catch what an operator raises, and do something else", () => {
    const pass = ft.exportPass({
      callOperator(op, args, kwargs, meta) {
        try {
          return super.callOperator("aten.mm.default", [args[0], args[0]], {}, meta);
        } catch {
          return super.callOperator(op, args, kwargs, meta);
        }
      },
    });
    assert.match(typed().runPass(pass).program.text("graph"), /aten\.add\.Tensor/);
  });

  it("is refused with a method that is no function, and with values of another run", () => {
    assert.throws(() => ft.exportPass({ callOperator: 3 }), /callOperator is to be a function, not a number/);
    let kept;
    const keeping = ft.exportPass({
      callOperator(...given) {
        return (kept = super.callOperator(...given));
      },
    });
    typed().runPass(keeping);
    const using = ft.exportPass({
      callOperator(op, args, kwargs, meta) {
        return super.callOperator("aten.relu.default", [kept], {}, meta);
      },
    });
    assert.throws(() => typed().runPass(using), /a value of another run of a pass/);
  });
});

describe("a program written", () => {
  it("is JSON that is read as the same program, also of text", () => {
    const program = typed();
    const again = ft.open(new TextEncoder().encode(program.toJson()), { name: "again.json" });
    assert.equal(again.info.kind, "json");
    assert.equal(again.text("graph"), program.text("graph"));
    assert.deepEqual(again.propagate().value("relu"), program.propagate().value("relu"));
  });

  it("is an archive with the weights that it was opened with", () => {
    const program = ft.open(bytesOf(classifierPath), { name: "classifier.pt2" });
    const { program: made } = program.runPass("run_decompositions");
    const again = ft.open(made.toPt2(), { name: "made.pt2" });
    assert.equal(again.info.kind, "pt2");
    assert.equal(again.text("graph"), made.text("graph"));
    assert.ok(made.toPt2().length > bytesOf(classifierPath).length / 2);
    assert.equal(ft.open(program.toPt2()).text("graph"), program.text("graph"));
  });

  it("is an archive of its own where it has no weights, and none where the file has not their bytes", () => {
    const program = typed();
    const again = ft.open(program.toPt2(), { name: "again.pt2" });
    assert.equal(again.info.kind, "pt2");
    assert.equal(again.text("graph"), program.text("graph"));
    assert.throws(() => ft.open(bytesOf(resnetPath)).toPt2(), { name: "UsageError" });
  });

  it("is text in three forms, of which the readable one opens again", () => {
    const program = ft.open(bytesOf(decoderPath));
    const { text: readable, lines } = program.source();
    assert.equal(program.text(), readable);
    assert.equal(ft.open(new TextEncoder().encode(readable)).text("graph"), program.text("graph"));
    assert.match(program.text("code"), /^\n*def forward\(/);
    assert.throws(() => program.text("poem"), /readable, graph or code/);
    const rows = readable.split("\n");
    const table = program.propagate().table();
    assert.equal(lines.length, table.length);
    for (const [row, line] of lines.entries()) {
      const name = table.names[row] === "output" ? "return" : table.names[row];
      if (line > 0) assert.ok(rows[line - 1].includes(name), name);
    }
  });
});

describe("a program that is text", () => {
  it("keeps going where it is asked to, and says what is wrong at which place", () => {
    const code = `def forward(self, x: "f32[2, 3]"):
    a = torch.ops.aten.relu.default(x)
    b = torch.ops.aten.relu.default(nobody)
    c = torch.ops.aten.neg.default(a)
    return (b, c)
`;
    const bytes = new TextEncoder().encode(code);
    assert.throws(() => ft.open(bytes, { name: "typed.txt" }), /typed\.txt:3:/);
    const program = ft.open(bytes, { name: "typed.txt", keepGoing: true });
    const [problem] = program.textProblems;
    assert.equal(problem.severity, "error");
    const line = code.split("\n")[problem.line - 1];
    assert.equal(line.slice(problem.column - 1, problem.column - 1 + problem.length), "nobody");
    assert.deepEqual(program.propagate().value("c").size, [2, 3]);
    assert.equal(program.source().text, code);
    assert.deepEqual(program.source().lines.slice(0, 2), [1, 2]);
  });
});

it("a worker runs passes by name and writes programs", async () => {
  const remote = await connect();
  try {
    const there = await remote.open(bytesOf(classifierPath), { name: "classifier.pt2" });
    const here = ft.open(bytesOf(classifierPath), { name: "classifier.pt2" });
    const expected = here.runPass(["run_decompositions", "dce"]);
    const made = await there.runPass(["run_decompositions", "dce"]);
    assert.deepEqual(
      [made.diff, made.passes, made.modified],
      [expected.diff, expected.passes, expected.modified],
    );
    assert.equal(await made.program.toJson(), expected.program.toJson());
    assert.deepEqual(await made.program.toPt2(), expected.program.toPt2());
    assert.deepEqual((await made.program.propagate()).problems, []);
    remote.restart();
    assert.equal(await made.program.text("graph"), expected.program.text("graph"));
    const pattern = "def forward(self, x):\n    return torch.ops.aten.relu.default(x)\n";
    const gelu = { pattern, replacement: pattern.replace("relu", "gelu") };
    assert.deepEqual((await there.runPass(gelu)).diff, here.runPass(gelu).diff);
    const split = await there.runPass("split_by_tags/2");
    assert.equal(split.program, undefined);
    assert.equal(split.refusal.name, "UsageError");
    await assert.rejects(
      there.runPass(ft.exportPass({})),
      /a pass of functions runs in the thread that has them/,
    );
    assert.deepEqual(await remote.passes(), ft.passes());
  } finally {
    remote.terminate();
  }
});
