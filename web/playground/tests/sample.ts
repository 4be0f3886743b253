/**
 * A program small enough to be written down, as the engine would hand it out: an input, a weight and two equal blocks of
 * a linear and a relu, the second of which fails.
 *
 *     x f32[2, 8] ── block.0 (linear ── relu) ── block.1 (linear ✗ ── relu) ── output
 */
import type { Layout, ModuleInfo, Problem, ProgramInfo, Table } from "../src/engine.js";
import { Model } from "../src/model.js";

const kNames = ["weight", "x", "linear", "relu", "linear_1", "relu_1", "output"];
const kOps = ["placeholder", "aten::linear.default", "aten::relu.default", "output"];
const kInputs = [[], [], [1, 0], [2], [3, 0], [4], [5]];

function module(
  id: number,
  parent: number,
  path: string,
  type: string,
  nodes: number,
  first: number,
  last: number,
): ModuleInfo {
  return { id, parent, path, type, nodes, first, last, hash: id === 0 ? 1 : 2 };
}

export const kInfo: ProgramInfo = {
  name: "sample",
  kind: "json",
  torchVersion: "2.13.0",
  schemaVersion: "8.20",
  nodes: kNames.length,
  inputs: [
    {
      name: "weight",
      kind: "parameter",
      target: "block.weight",
      node: 0,
      size: [8, 8],
      stride: [8, 1],
      dtype: "float32",
      device: "cpu",
    },
    {
      name: "x",
      kind: "user",
      target: null,
      node: 1,
      size: [2, 8],
      stride: [8, 1],
      dtype: "float32",
      device: "cpu",
    },
  ],
  outputs: ["relu_1"],
  symbols: [],
  modules: [
    module(0, -1, "", "sample.Net", 5, 2, 6),
    module(1, 0, "block.0", "sample.Block", 2, 2, 3),
    module(2, 0, "block.1", "sample.Block", 2, 4, 5),
  ],
  unknownOps: [],
};

export const kError: Problem = {
  kind: "error",
  node: 4,
  name: "linear_1",
  op: "aten::linear.default",
  class: "RuntimeError",
  message: "mat1 and mat2 shapes cannot be multiplied (2x8 and 9x8)",
  modulePath: "block.1",
  source: "",
};

/** `batch` is dim 0 of x. With `fails`, linear_1 raises and what follows is not reached. */
export function sampleTable(batch: number, fails: boolean): Table {
  const length = kNames.length;
  const missing = fails ? [4, 5, 6] : [];
  const size: number[] = [];
  const stride: number[] = [];
  const dimStart = new Uint32Array(length + 1);
  const inputStart = new Uint32Array(length + 1);
  for (let row = 0; row < length; row++) {
    const isTensor = row !== 6 && !missing.includes(row);
    if (isTensor) {
      size.push(row === 0 ? 8 : batch, 8);
      stride.push(8, 1);
    }
    dimStart[row + 1] = size.length;
    inputStart[row + 1] = inputStart[row] + kInputs[row].length;
  }
  const isTensor = kNames.map((_, row) => (row === 6 || missing.includes(row) ? 0 : 1));
  return {
    length,
    names: kNames,
    op: Uint32Array.from([0, 0, 1, 2, 1, 2, 3]),
    ops: kOps,
    module: Uint32Array.from([0, 0, 1, 1, 2, 2, 0]),
    status: Uint8Array.from(fails ? [0, 0, 0, 0, 1, 3, 3] : new Array<number>(length).fill(0)),
    kind: Uint8Array.from(isTensor),
    dtype: new Uint8Array(length),
    dtypes: ["float32"],
    device: new Uint32Array(length),
    devices: ["cpu"],
    dimStart,
    size: Float64Array.from(size),
    stride: Float64Array.from(stride),
    offset: new Float64Array(length),
    nbytes: Float64Array.from(isTensor, (tensor, row) => (tensor ? (row === 0 ? 8 : batch) * 32 : 0)),
    tensor: Int32Array.from(isTensor, (tensor, row) => (tensor ? row : -1)),
    storage: Int32Array.from([0, 1, 2, 2, -1, -1, -1]),
    expressions: [],
    inputStart,
    inputs: Uint32Array.from(kInputs.flat()),
  };
}

export function sampleModel(fails = false): Model {
  return new Model(kInfo, sampleTable(2, fails), fails ? [kError] : [], 0.1);
}

/** block.0 open with its two nodes, block.1 closed. */
export function sampleLayout(): Layout {
  const ids = [~0, 1, ~1, 2, 3, ~2, 6];
  const rects = [
    [0, 0, 200, 400],
    [16, 16, 100, 28],
    [16, 80, 160, 140],
    [32, 110, 100, 28],
    [32, 170, 100, 28],
    [16, 260, 160, 36],
    [16, 330, 100, 28],
  ];
  const edges = [
    { from: 1, to: 2, value: 1, points: [66, 44, 66, 80] },
    { from: 2, to: 3, value: 1, points: [66, 80, 66, 110] },
    { from: 3, to: 4, value: 2, points: [66, 138, 66, 170] },
    { from: 4, to: 2, value: 3, points: [66, 198, 66, 220] },
    { from: 2, to: 5, value: 3, points: [66, 220, 66, 260] },
    { from: 5, to: 6, value: 5, points: [66, 296, 66, 330] },
  ];
  const column = (i: number): Float32Array => Float32Array.from(rects, (rect) => rect[i]);
  const pointStart = new Uint32Array(edges.length + 1);
  edges.forEach((edge, i) => {
    pointStart[i + 1] = pointStart[i] + edge.points.length / 2;
  });
  return {
    width: 200,
    height: 400,
    box: {
      count: ids.length,
      id: Int32Array.from(ids),
      x: column(0),
      y: column(1),
      w: column(2),
      h: column(3),
      parent: Int32Array.from([-1, 0, 0, 2, 2, 0, 0]),
      depth: Uint8Array.from([0, 1, 1, 2, 2, 1, 1]),
      repeat: new Uint32Array(ids.length).fill(1),
    },
    edge: {
      count: edges.length,
      from: Uint32Array.from(edges, (edge) => edge.from),
      to: Uint32Array.from(edges, (edge) => edge.to),
      value: Uint32Array.from(edges, (edge) => edge.value),
      pointStart,
      points: Float32Array.from(edges.flatMap((edge) => edge.points)),
    },
  };
}
