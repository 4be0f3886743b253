/**
 * Which sizes of a program can be changed, worked out from its inputs: one chip per symbol; `batch` where all user inputs
 * agree on dim 0; and one per remaining size, where equal sizes at the same position of several inputs are one chip (the
 * sequence length of token and position ids is changed together or the program would not run).
 */
import type { Dim, InputInfo, ProgramInfo } from "./engine.js";
import { dimsText } from "./format.js";
import { isFloatSymbol, isUnbackedSymbol } from "./settings.js";

export interface SizeChip {
  readonly label: string;
  /** The keys of `PropagateOptions.dims` that the chip sets. */
  readonly names: readonly string[];
  /** A symbol is free as in the file, and may be a range. */
  readonly isSymbol: boolean;
  /** As in the file; of a symbol its hint, null where it has none. */
  readonly original: number | null;
  /** Bounds of a symbol. */
  readonly range: readonly [number, number | null];
  readonly description: string;
}

export function sizeChips(info: Pick<ProgramInfo, "inputs" | "symbols">): SizeChip[] {
  const inputs = info.inputs.filter((input) => input.kind === "user" && input.size.length > 0);
  const chips: SizeChip[] = info.symbols
    // A file also bounds expressions of symbols ("2*s31"), which follow from their symbols.
    .filter(({ name }) => /^\w+$/.test(name) && !isUnbackedSymbol(name) && !isFloatSymbol(name))
    .map((symbol) => ({
      label: symbolLabel(symbol.name, inputs),
      names: [symbol.name],
      isSymbol: true,
      original: symbol.hint,
      range: [symbol.range[0] ?? 0, symbol.range[1]],
      description: `symbol ${symbol.name}, in ${inputs
        .filter((input) => uses(input, symbol.name))
        .map(describe)
        .join(", ")}`,
    }));
  const batch = sharedBatch(inputs);
  if (batch !== null) {
    const description = `dim 0 of ${inputs.map(describe).join(", ")}`;
    chips.push({
      label: `batch (${inputs[0].name} 0)`,
      names: ["batch"],
      isSymbol: false,
      original: batch,
      range: [1, null],
      description,
    });
  }
  for (const group of groupSizes(inputs, batch === null ? 0 : 1)) {
    const meaning = meaningOf(group.inputs[0], group.dim) ?? `dim ${group.dim}`;
    chips.push({
      label: `${meaning} (${group.inputs.map(({ name }) => name).join(", ")})`,
      names: group.inputs.map((input) => `${input.name}.${group.dim}`),
      isSymbol: false,
      original: group.size,
      range: [1, null],
      description: `dim ${group.dim} of ${group.inputs.map(describe).join(", ")}`,
    });
  }
  return chips;
}

/**
 * What a dimension is by PyTorch's conventions: of token ids the second is the length, of images the order is batch,
 * channels, height, width. Null where there is no telling.
 */
function meaningOf({ dtype, size }: InputInfo, dim: number): string | null {
  const isInteger = /^u?int(32|64)$/.test(dtype);
  if (isInteger && size.length === 2 && dim === 1) return "length";
  const isImage = dtype.includes("float") && size.length === 4 && (size[1] === 3 || size[1] === 4);
  return isImage ? (["batch", "channels", "height", "width"][dim] ?? null) : null;
}

/** Whether it is dimension 0 of all inputs. */
function isBatch(symbol: string, inputs: readonly InputInfo[]): boolean {
  return inputs.length > 0 && inputs.every(({ size }) => size[0] === symbol);
}

/** With the input that it stands for: `batch (tokens 0)` where that is known, `s31 (mask 0)`, or `s31 (in x 0)` where that size is an expression of it. */
function symbolLabel(symbol: string, inputs: readonly InputInfo[]): string {
  for (const isPart of [false, true]) {
    for (const input of inputs) {
      const dim = input.size.findIndex(
        (size) => size === symbol || (isPart && String(size).split(/\W+/).includes(symbol)),
      );
      const what = isPart || dim < 0 ? null : isBatch(symbol, inputs) ? "batch" : meaningOf(input, dim);
      if (dim >= 0) return `${what ?? symbol} (${isPart ? "in " : ""}${input.name} ${dim})`;
    }
  }
  return symbol;
}

function uses(input: InputInfo, symbol: string): boolean {
  return input.size.some((dim) => typeof dim === "string" && dim.split(/\W+/).includes(symbol));
}

function describe(input: InputInfo): string {
  return `${input.name} ${dimsText(input.size)}`;
}

function sharedBatch(inputs: readonly InputInfo[]): number | null {
  const sizes = new Set<Dim>(inputs.map((input) => input.size[0]));
  const [size] = sizes;
  return sizes.size === 1 && typeof size === "number" ? size : null;
}

interface Group {
  readonly dim: number;
  readonly size: number;
  readonly inputs: InputInfo[];
}

function groupSizes(inputs: readonly InputInfo[], firstDim: number): Group[] {
  const groups = new Map<string, Group>();
  for (const input of inputs) {
    for (let dim = firstDim; dim < input.size.length; dim++) {
      const size = input.size[dim];
      if (typeof size !== "number") continue;
      const group = groups.get(`${dim}:${size}`);
      if (group === undefined) groups.set(`${dim}:${size}`, { dim, size, inputs: [input] });
      else group.inputs.push(input);
    }
  }
  return [...groups.values()].sort((a, b) => a.dim - b.dim);
}
