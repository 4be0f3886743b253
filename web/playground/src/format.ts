/**
 * How values are written on the page: shapes, dtypes, bytes, counts, contiguity. Pure functions over the columns of the
 * engine's {@link Table}; the same texts serve canvas, tree, inspector and search.
 */
import { Status, ValueKind, type Dim, type Table, type Value } from "./engine.js";

/** The groups that share a colour; the badge's letters tell the members of a group apart. */
export type DtypeGroup = "float" | "half" | "double" | "int" | "bool" | "complex" | "float8" | "none";

/**
 * `"bfloat16"` becomes `"bf16"`, as the command and `print_readable` write it: the rule behind the short names of
 * core/tensor/dtype.cpp, to all of which the test holds it.
 */
export function dtypeShort(dtype: string): string {
  if (dtype === "bool") return "b8";
  return dtype.replace(/^(b?f)loat(?=\d)|^(q?u?i)nt(?=\d)|^(c)omplex/, shortKind).replaceAll("_", "");
}

/** `"uint"` is `"u"`, of the others the first letters stay. */
function shortKind(_kind: string, float = "", int = "", complex = ""): string {
  return float + int.replace("ui", "u") + complex;
}

export function dtypeGroup(dtype: string): DtypeGroup {
  if (dtype === "float32") return "float";
  if (dtype === "float16" || dtype === "bfloat16") return "half";
  if (dtype === "float64") return "double";
  if (dtype.startsWith("float8")) return "float8";
  if (dtype.startsWith("complex")) return "complex";
  if (dtype === "bool") return "bool";
  if (/^u?int\d/.test(dtype)) return "int";
  return "none";
}

/** An entry of a dimension column: the number itself, or the expression that a negative entry stands for. */
export function dimAt(column: Float64Array, index: number, expressions: readonly string[]): Dim {
  const value = column[index];
  return value < 0 ? (expressions[-value - 1] ?? "?") : value;
}

export function sizesOf(table: Table, row: number): Dim[] {
  return sliceDims(table.size, table, row);
}

export function stridesOf(table: Table, row: number): Dim[] {
  return sliceDims(table.stride, table, row);
}

function sliceDims(column: Float64Array, table: Table, row: number): Dim[] {
  const dims: Dim[] = [];
  for (let i = table.dimStart[row]; i < table.dimStart[row + 1]; i++)
    dims.push(dimAt(column, i, table.expressions));
  return dims;
}

/** `[2, 2048, 4096]`, as PyTorch prints a size. */
export function dimsText(dims: readonly Dim[]): string {
  return `[${dims.join(", ")}]`;
}

/** The shape without blanks, for the narrow places of the picture: `2×2048×4096`; a scalar is `scalar`. */
export function compactShape(dims: readonly Dim[]): string {
  return dims.length === 0
    ? "scalar"
    : dims.map((dim) => (typeof dim === "string" ? spaceless(dim) : dim)).join("×");
}

function spaceless(expression: string): string {
  const text = expression.replaceAll(" ", "");
  return /[-+*/]/.test(text) && !text.startsWith("(") ? `(${text})` : text;
}

/** `f32[2, 2048, 4096]`: dtype and sizes of a row, or what else the row holds. */
export function valueText(table: Table, row: number): string {
  switch (table.kind[row]) {
    case ValueKind.tensor:
      return dtypeShort(table.dtypes[table.dtype[row]]) + dimsText(sizesOf(table, row));
    case ValueKind.list:
      return "list";
    case ValueKind.other:
      return "scalar";
    default:
      return table.status[row] === Status.ok ? "none" : "unknown";
  }
}

/** A value as plain data in one line: a tensor as `f32[2, 3]`, a list with its elements, anything else as PyTorch names it. */
export function plainText(value: Value): string {
  if (Array.isArray(value)) return `(${value.map(plainText).join(", ")})`;
  if (value === null) return "None";
  if (typeof value !== "object") return String(value);
  if ("size" in value) return dtypeShort(value.dtype) + dimsText(value.size);
  if ("c" in value) return `${plainText(value.c[0])} + ${plainText(value.c[1])}j`;
  return Object.values(value).map(String).join(" ");
}

const kByteUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Bytes with three significant digits and a binary unit. */
export function bytesText(bytes: Dim): string {
  if (typeof bytes === "string") return `${bytes} B`;
  let unit = 0;
  let amount = bytes;
  while (amount >= 1024 && unit < kByteUnits.length - 1) {
    amount /= 1024;
    unit++;
  }
  const digits = unit === 0 || amount >= 100 ? 0 : amount >= 10 ? 1 : 2;
  return `${amount.toFixed(digits)} ${kByteUnits[unit]}`;
}

/** A difference, as `text` writes its size: `+1.5 GiB`. */
export function signed(value: number, text: (value: number) => string): string {
  return `${value < 0 ? "−" : "+"}${text(Math.abs(value))}`;
}

const kFlopUnits = ["", "k", "M", "G", "T", "P", "E"];

/** Operations with three significant digits and a decimal unit: `1.23 TFLOP`. */
export function flopsText(flops: number): string {
  let unit = 0;
  let amount = flops;
  while (amount >= 1000 && unit < kFlopUnits.length - 1) {
    amount /= 1000;
    unit++;
  }
  const digits = unit === 0 || amount >= 100 ? 0 : amount >= 10 ? 1 : 2;
  return `${amount.toFixed(digits)} ${kFlopUnits[unit]}FLOP`;
}

const kTimeUnits = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
] as const;

/** Seconds with three significant digits in the unit that has some. */
export function secondsText(seconds: number): string {
  const [size, unit] = kTimeUnits.find(([least]) => seconds >= least) ?? kTimeUnits[2];
  const amount = seconds / size;
  const digits = amount >= 100 ? 0 : amount >= 10 ? 1 : 2;
  return `${amount.toFixed(digits)} ${unit}`;
}

const kCounting = new Intl.NumberFormat("en");

/** `12,345`. */
export function countText(count: number): string {
  return kCounting.format(count);
}

/** `1 operator`, `3 operators`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : nouns}`;
}

/** `aten::linear.default` and `torch.ops.aten.linear.default` become `linear`; other overloads than the default stay visible elsewhere. */
export function opShort(op: string): string {
  const parts = op.replace(/^torch\.ops\./, "").split(/::|\./);
  return parts.length > 1 ? parts[1] : op;
}

/** Without the graph that a body's node is of: `true_graph_0/sin` becomes `sin`. */
export function nodeShort(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** The last component of a module path: `layers.0.self_attn` becomes `self_attn`; an index keeps its list: `layers.0`. */
export function moduleShort(path: string): string {
  const parts = path.split(".");
  const last = parts[parts.length - 1];
  return /^\d+$/.test(last) && parts.length > 1 ? `${parts[parts.length - 2]}.${last}` : last;
}

/** The last component of a type: `transformers.models.bert.modeling_bert.BertLayer` becomes `BertLayer`. */
export function typeShort(type: string): string {
  return type.slice(type.lastIndexOf(".") + 1);
}

/**
 * The memory order in words, for concrete sizes as `TensorImpl::compute_contiguous` and its channels-last sisters decide
 * it (dimensions of size 1 are free, an empty tensor is contiguous). Symbolic entries are compared as texts.
 */
export function contiguity(size: readonly Dim[], stride: readonly Dim[]): string {
  if (size.some((dim) => dim === 0) || matchesOrder(size, stride, descending(size.length)))
    return "contiguous";
  if (size.length === 4 && matchesOrder(size, stride, [1, 3, 2, 0])) return "channels_last";
  if (size.length === 5 && matchesOrder(size, stride, [1, 4, 3, 2, 0])) return "channels_last_3d";
  if (stride.some((step, i) => step === 0 && size[i] !== 1)) return "expanded (stride 0)";
  return "not contiguous";
}

function descending(length: number): number[] {
  return Array.from({ length }, (_, i) => length - 1 - i);
}

/** Whether the strides are those of a dense tensor whose dimensions, innermost first, are `order`. */
function matchesOrder(size: readonly Dim[], stride: readonly Dim[], order: readonly number[]): boolean {
  let expected: Dim = 1;
  for (const dim of order) {
    if (size[dim] === 1) continue;
    if (String(stride[dim]) !== String(expected)) return false;
    expected =
      typeof expected === "number" && typeof size[dim] === "number"
        ? expected * size[dim]
        : productText(expected, size[dim]);
  }
  return true;
}

function productText(left: Dim, right: Dim): string {
  return left === 1 ? String(right) : `${right}*${left}`;
}
