/** What Node has and browsers lack. Nothing here shows in the package's types. */
import type * as FileSystem from "node:fs";

/** Whether this is Node (or a runtime that has Node's built-in modules). */
export const isNode: boolean =
  typeof process === "object" && typeof process.versions === "object" && Boolean(process.versions.node);

/**
 * Imports a module of Node without a bundler seeing it: one JavaScript file serves browsers and Node, and a bundle for
 * the browser must not try to resolve `node:` names.
 */
export async function nodeModule<T>(name: string): Promise<T> {
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as T;
}

/** `length` bytes from `offset` on, fewer at the end of the file. */
export function readFully(
  fs: typeof FileSystem,
  descriptor: number,
  offset: number,
  length: number,
): Uint8Array {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = fs.readSync(descriptor, bytes, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
