/** Between an {@link Address}, which names things, and a {@link PageState}, which numbers them for one program. */
import type { Model, Selection } from "./model.js";
import { kAsInFile, sameNumbers, type PageState, type WhatIf } from "./state.js";
import type { Address } from "./url_state.js";

/** The edits that an address names; a file of profiles is none of them. */
export function whatIfOf({
  dims,
  dynamic,
  dtype,
  device,
  assume,
  literal,
}: Pick<Address, "dims" | "dynamic" | "dtype" | "device" | "assume" | "literal">): WhatIf {
  return { ...kAsInFile, dims, dynamic, dtype, device, assume, literal };
}

/**
 * What an address asks for, as far as this program has it; `misfits` is the rest. `automatic`: what is open
 * unless the address says.
 */
export function stateOf(
  model: Model,
  address: Omit<Address, "unread">,
  automatic: readonly number[],
): { readonly state: PageState; readonly misfits: readonly string[] } {
  const misfits: string[] = [];
  const { open, depth } = address;
  const ids = open?.map((path) => model.findModule(path)) ?? [];
  for (const [i, path] of (open ?? []).entries()) if (ids[i] === null) misfits.push(`open=${path}`);
  const asked = ids.filter((id) => id !== null);
  // A link of another program names no module of this one. That does not ask for all of them to be closed.
  const isForeign = asked.length === 0 && ids.length > 0;
  const chosen = open === null && depth !== null ? model.modulesToDepth(depth) : automatic;
  const expanded = new Set(open === null || isForeign ? chosen : asked.filter((id) => id > 0));
  const selection = selectionNamed(model, address.select);
  if (selection === null && address.select !== null) misfits.push(`select=${address.select}`);
  const alive = address.alive === null ? null : model.findRow(address.alive);
  if (alive === null && address.alive !== null) misfits.push(`alive=${address.alive}`);
  const state = {
    whatIf: whatIfOf(address),
    expanded: [...expanded].sort((a, b) => a - b),
    selection,
    camera: address.camera,
    alive,
    color: address.color,
    plumbing: address.plumbing,
  };
  return { state, misfits };
}

/** The address of a state; `source` names the program. */
export function addressOf(
  model: Model,
  state: PageState,
  automatic: readonly number[],
  source: Pick<Address, "example" | "file" | "code">,
): Address {
  const { whatIf, expanded, selection, camera, alive, color, plumbing } = state;
  const { dims, dynamic, dtype, device, assume, literal } = whatIf;
  const isAutomatic = sameNumbers(expanded, automatic);
  const depth = isAutomatic ? null : depthOf(model, expanded);
  return {
    ...source,
    dims,
    dynamic,
    dtype,
    device,
    assume,
    literal,
    open: isAutomatic || depth !== null ? null : expanded.map((id) => model.module(id).path),
    depth,
    select: selection === null ? null : nameOf(model, selection),
    camera,
    alive: alive === null ? null : model.table.names[alive],
    color,
    plumbing,
    unread: [],
  };
}

/** How deep all modules are open; null where some are open and others of the same depth are not. */
function depthOf(model: Model, expanded: readonly number[]): number | null {
  const depth = expanded.reduce((deepest, id) => Math.max(deepest, model.depthOf(id)), 0);
  return sameNumbers(model.modulesToDepth(depth), expanded) ? depth : null;
}

/** A node's name, or a module's path after `/`. */
function nameOf(model: Model, selection: Selection): string {
  return selection.kind === "node" ? model.table.names[selection.row] : `/${model.module(selection.id).path}`;
}

function selectionNamed(model: Model, name: string | null): Selection | null {
  if (name === null) return null;
  if (name.startsWith("/")) {
    const id = model.findModule(name.slice(1));
    return id === null || id === 0 ? null : { kind: "module", id };
  }
  const row = model.findRow(name);
  return row === null ? null : { kind: "node", row };
}
