/**
 * What the engine does all day, for split.mjs: which functions this calls is what a page downloads first. It opens programs of
 * this repository, propagates them as the page does and asks everything that the page asks. The operators of these programs are
 * called with other arguments too, those of the recorded vectors. Nothing here depends on time or chance, so the same functions
 * are found each time.
 */
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The page's example, the programs that its tests open, and models that torch.export wrote. */
const programFolders = [
  "web/playground/examples",
  "e2e/files",
  "tests/golden/files",
  "tests/conformance/data/models",
];
const vectorFolder = "tests/conformance/data/ops";

/** The usual layers of torch.nn that convolve, normalise or activate are called, whether or not a program above has them. */
const moreOperators = `
  conv1d conv2d conv3d conv_transpose1d conv_transpose2d.input convolution
  batch_norm group_norm instance_norm layer_norm native_batch_norm native_group_norm native_layer_norm rms_norm
  elu elu_ hardsigmoid hardsigmoid_ hardswish hardswish_ hardtanh hardtanh_ leaky_relu leaky_relu_ mish prelu relu6 selu
  silu_ softplus constant_pad_nd convolution_backward pad slice_scatter sym_numel`;

/** `engine` is what Emscripten's glue gives (wasm/bindings.cpp). */
export function work(engine) {
  const worker = new Worker(engine);
  worker.askEngine();
  for (const folder of programFolders)
    for (const file of filesIn(folder, /\.(json|json\.gz|pt2)$/))
      worker.exploreProgram(readFileSync(file), folder === programFolders[0]);
  for (const name of moreOperators.trim().split(/\s+/))
    worker.operators.add(`aten::${name}`);
  for (const file of filesIn(vectorFolder, /\.jsonl\.gz$/))
    worker.callVectors(linesOf(file));
  worker.callByNumbers();
}

function filesIn(folder, pattern) {
  const files = readdirSync(path.join(root, folder), {
    recursive: true,
  }).filter((file) => pattern.test(file));
  return files.sort().map((file) => path.join(root, folder, file));
}

function linesOf(file) {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n");
  return lines.slice(1).map((line) => JSON.parse(line)); // the first is a header
}

class Worker {
  /** Of the programs' nodes. */
  operators = new Set();

  constructor(engine) {
    this.engine = engine;
  }

  ask(question, of, args = {}) {
    return JSON.parse(this.engine.ask(question, of, JSON.stringify(args)));
  }

  columns(question, of, args) {
    this.engine.columns(question, of, JSON.stringify(args));
  }

  askEngine() {
    this.ask("engine.info", 0);
    this.ask("engine.operators", 0, { pattern: "conv" });
  }

  /** `bodies`: what makes rows of the graphs that operators hold is left to the second file. */
  open(bytes, bodies) {
    const read = (offset, length) => bytes.subarray(offset, offset + length);
    return JSON.parse(
      this.engine.openProgram(
        { size: bytes.length, read },
        "model.pt2",
        0,
        false,
        false,
        bodies,
      ),
    );
  }

  /** `isExample`: one of the page's. */
  exploreProgram(bytes, isExample) {
    const { program, info } = this.open(bytes, isExample);
    const modules = info.modules.map(({ id }) => id);
    for (const expanded of [[], modules.slice(0, 2), modules])
      for (const plumbing of [true, false])
        this.columns("program.layout", program, { expanded, plumbing });
    if (isExample) this.askAboutDevices(program, info);
    for (const options of settingsOf(info)) {
      const assumptions = this.exploreRun(program, info, options);
      const decided = assumptions
        .slice(0, 3)
        .map(({ site }) => [site, "literal"]);
      if (decided.length > 0)
        this.exploreRun(program, info, {
          ...options,
          assume: Object.fromEntries(decided),
        });
    }
    this.engine.closeProgram(program);
  }

  /** Returns what was assumed. */
  exploreRun(program, info, options) {
    const { run, error } = JSON.parse(
      this.engine.propagate(program, JSON.stringify(options), () => true),
    );
    if (error) return [];
    this.columns("run.table", run, { symbols: null });
    this.columns("run.table", run, { symbols: {} });
    const symbols = this.ask("run.symbols", run).map(({ name }) => name);
    for (let index = 0; index < Math.min(info.nodes, 100); index++)
      this.exploreNode(run, index);
    this.ask("run.guards", run);
    this.ask("run.costs", run, { symbols: {} });
    for (const setting of symbols.length > 0 ? [6, 1, [2, 64]] : []) {
      const settings = Object.fromEntries(
        symbols.map((name) => [name, setting]),
      );
      this.ask("run.whatIf", run, { symbols: settings, nodes: info.outputs });
      this.columns("run.table", run, { symbols: settings });
    }
    const assumptions = this.ask("run.assumptions", run);
    this.engine.closeRun(run);
    return assumptions;
  }

  /** What the page asks behind its first picture: the devices that it names. */
  askAboutDevices(program, info) {
    if (info.nodes > 1000) return; // each size is propagated
    const { run } = JSON.parse(
      this.engine.propagate(program, "{}", () => true),
    );
    const targets = ["rtx4090", "a100-80gb"];
    this.engine.ask("run.fits", run, JSON.stringify({ options: { targets } }));
    this.engine.ask("run.time", run, JSON.stringify({ target: targets[0] }));
    this.engine.closeRun(run);
  }

  exploreNode(run, index) {
    const { name, op, value } = this.ask("run.node", run, { index });
    this.operators.add(op);
    for (let dim = 0; dim < (value?.size?.length ?? 0); dim++)
      this.ask("run.why", run, { node: name, dim });
    this.ask("run.value", run, { name });
  }

  /** The recorded calls of the operators in question. */
  callVectors(vectors) {
    const mode = this.ask("engine.openMode", 0, { options: {} });
    for (const { op, args, kwargs } of vectors) {
      const name = op.replace(/\.default$/, "");
      if (this.operators.has(name)) {
        const given = JSON.stringify({ op: name, args, kwargs }, (_, value) =>
          this.#tensorOf(mode, value),
        );
        this.engine.ask("caller.call", mode, given);
      }
    }
    this.engine.closeCaller(mode);
  }

  #tensorOf(mode, value) {
    if (typeof value?.t !== "number" || value.stride === undefined)
      return value;
    const { size, stride, dtype, device } = value;
    const kwargs = { dtype: { dtype }, device: { device } };
    const made = this.ask("caller.call", mode, {
      op: "aten::empty_strided",
      args: [size, stride],
      kwargs,
    });
    return made.out ? { t: made.out.t } : null;
  }

  /** What loops over operators take (call_area.h), whose tags these are. */
  callByNumbers() {
    const mode = this.ask("engine.openMode", 0, { options: {} });
    const [int, tensor, list] = [4, 6, 7];
    const x = this.ask("caller.call", mode, {
      op: "aten::empty.memory_format",
      args: [[8, 128, 768]],
      kwargs: {},
    }).out.t;
    const call = (name, ...numbers) => {
      const { op } = this.ask("caller.operator", mode, { name });
      this.engine.callArea().set(numbers);
      this.engine.callPacked(mode, op);
    };
    call("aten::add.Tensor", 2, tensor, x, tensor, x);
    call("aten::relu_", 1, tensor, x);
    call("aten::view", 2, tensor, x, list, 2, int, 1024, int, 768);
    this.ask("caller.constant", mode, { dtype: "bfloat16" });
    this.ask("caller.tensor", mode, { tensor: x });
    this.engine.callArea().set([x]);
    this.engine.release(mode, 1);
    this.engine.closeCaller(mode);
  }
}

/** What the page's settings make of a program: other sizes, dtypes and devices, taken literally or not. */
function settingsOf({ symbols }) {
  // With symbols the page propagates under the Python dispatcher.
  const dispatcher = symbols.length > 0 ? { pythonDispatcher: true } : {};
  const inputs = symbols
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("u"));
  const dims =
    symbols.length > 0
      ? Object.fromEntries(inputs.map((name) => [name, 6]))
      : { batch: 3 };
  return [
    {},
    ...[
      {},
      { dims },
      { dtype: "bfloat16" },
      { device: "cuda" },
      { dims, dtype: "float16", device: "cuda" },
    ].map((options) => ({ ...dispatcher, ...options })),
    { dims, literal: true },
    { dims: { "no such input": 1 } },
  ];
}
