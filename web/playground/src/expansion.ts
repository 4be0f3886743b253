/** Which modules a newly opened program shows open. */
import type { ModuleInfo } from "./engine.js";

/** About as many boxes as can be read at once without moving the picture. */
const kComfortable = 64;

/** A module without submodules and with at most so many nodes is plain: an activation, a linear layer. */
const kPlain = 3;

/**
 * Opens modules level by level while the picture stays within `limit` boxes. Of siblings with the same structure only
 * the first is opened: the others stay together as one box "×n", which tells more than n copies would. A module of a
 * few nodes and nothing else says as much closed.
 */
export function chooseExpanded(modules: readonly ModuleInfo[], limit = kComfortable): number[] {
  const children = new Map<number, ModuleInfo[]>();
  for (const module of modules) {
    const known = children.get(module.parent);
    if (known === undefined) children.set(module.parent, [module]);
    else known.push(module);
  }
  const opened: number[] = [];
  let boxes = boxesInside(modules[0], children);
  let level = [modules[0]];
  while (level.length > 0) {
    const next: ModuleInfo[] = [];
    for (const parent of level) {
      const seen = new Set<number>();
      for (const module of children.get(parent.id) ?? []) {
        const inside = boxesInside(module, children);
        const isPlain = inside <= kPlain && !children.has(module.id);
        if (seen.has(module.hash) || isPlain || boxes + inside > limit) continue;
        seen.add(module.hash);
        boxes += inside;
        opened.push(module.id);
        next.push(module);
      }
    }
    level = next;
  }
  return opened.sort((a, b) => a - b);
}

/** Boxes that opening a module adds: its own nodes and its submodules, equal ones counted once. */
function boxesInside(module: ModuleInfo, children: ReadonlyMap<number, readonly ModuleInfo[]>): number {
  const inner = children.get(module.id) ?? [];
  const own = module.nodes - inner.reduce((sum, child) => sum + child.nodes, 0);
  return own + new Set(inner.map((child) => child.hash)).size;
}
