/**
 * A run's kernels as a flame chart: modules over what is inside of them, and at the bottom the nodes, over the time of the
 * device. Gaps between kernels are the engine's own and left out: nothing waits for it on a device.
 */
import type { RunTrace } from "./engine.js";

export interface Bar {
  /** A node's row, or a module's path. */
  readonly row: number | null;
  readonly module: string;
  readonly label: string;
  readonly depth: number;
  /** Nanoseconds. */
  readonly start: number;
  readonly duration: number;
}

export interface Flame {
  readonly bars: readonly Bar[];
  readonly depth: number;
  readonly total: number;
}

interface NodeTime {
  readonly row: number;
  readonly name: string;
  readonly module: string;
  duration: number;
}

/** Each node with the kernels of all that it calls, in the order in which they run. */
export function nodeTimes({ events }: RunTrace): NodeTime[] {
  const nodes: NodeTime[] = [];
  for (const { row, name, module, deviceDuration } of events) {
    if (row !== undefined) nodes.push({ row, name, module: module ?? "", duration: 0 });
    const node = nodes.at(-1);
    if (node !== undefined) node.duration += deviceDuration ?? 0;
  }
  return nodes.filter(({ duration }) => duration > 0);
}

/** The row of the node in which each operator takes longest. */
export function longestRows({ events }: RunTrace): Map<string, number> {
  const longest = new Map<string, { row: number; duration: number }>();
  let row = -1;
  for (const event of events) {
    if (event.row !== undefined) {
      row = event.row;
      continue;
    }
    const duration = event.deviceDuration ?? 0;
    if (duration > (longest.get(event.name)?.duration ?? -1)) longest.set(event.name, { row, duration });
  }
  return new Map([...longest].map(([name, found]) => [name, found.row]));
}

export function flameOf(trace: RunTrace): Flame {
  const bars: Bar[] = [];
  const open: { module: string; label: string; start: number }[] = [];
  let now = 0;
  let depth = 0;
  const close = (kept: number): void => {
    while (open.length > kept) {
      const { module, label, start } = open.pop() ?? { module: "", label: "", start: 0 };
      bars.push({ row: null, module, label, depth: open.length, start, duration: now - start });
    }
  };
  for (const { row, name, module, duration } of nodeTimes(trace)) {
    const names = module === "" ? [] : module.split(".");
    let same = 0;
    while (same < open.length && same < names.length && open[same].label === names[same]) same++;
    close(same);
    for (let i = same; i < names.length; i++)
      open.push({ module: names.slice(0, i + 1).join("."), label: names[i], start: now });
    bars.push({ row, module, label: name, depth: open.length, start: now, duration });
    depth = Math.max(depth, open.length + 1);
    now += duration;
  }
  close(0);
  return { bars: bars.sort((a, b) => a.start - b.start || a.depth - b.depth), depth, total: now };
}
