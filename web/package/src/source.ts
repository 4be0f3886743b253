/**
 * Where the bytes of a file come from. The engine reads synchronously and in slices (a `.pt2` of many gigabytes is
 * opened by reading its directory and its JSON, never its weights), so a source is a size and a synchronous `read`.
 */

import type * as FileSystem from "node:fs";
import { wrongKind } from "./check.js";
import { nodeModule, readFully } from "./node.js";

declare const FileReaderSync: (new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer }) | undefined;

export interface ByteSource {
  /** In bytes. */
  readonly size: number;
  /** Bytes `offset` up to `offset + length`; fewer only at the end of the source. */
  read(offset: number, length: number): Uint8Array;
  /** Called when the engine has read what it needs. Passes, `toJson()` and `toPt2()` read again, and close it again. */
  close?(): void;
}

/** What {@link FakeTensor.open} takes: the bytes themselves or a way to read slices of them. */
export type Openable = Uint8Array | ArrayBuffer | ByteSource;

export function toByteSource(from: Openable): ByteSource {
  if (from instanceof ArrayBuffer) return bytesSource(new Uint8Array(from));
  if (ArrayBuffer.isView(from)) {
    return bytesSource(new Uint8Array(from.buffer, from.byteOffset, from.byteLength));
  }
  const { size, read } = (from as Partial<ByteSource> | null | undefined) ?? {};
  if (typeof size === "number" && size >= 0 && typeof read === "function") return from;
  throw wrongKind("a program", "a Uint8Array, an ArrayBuffer or a ByteSource", from);
}

export function bytesSource(bytes: Uint8Array): ByteSource {
  return { size: bytes.byteLength, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Reads slices of a Blob or File. Only workers of a browser can read a Blob synchronously. */
export function blobSource(blob: Blob): ByteSource {
  if (typeof FileReaderSync !== "function") throw new TypeError("blobSource needs a worker of a browser");
  const reader = new FileReaderSync();
  return {
    size: blob.size,
    read: (offset, length) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + length))),
  };
}

/** The same for any thread: where a Blob can only be read asynchronously, it is read whole first. */
export async function sourceOfBlob(blob: Blob): Promise<ByteSource> {
  if (typeof FileReaderSync === "function") return blobSource(blob);
  return bytesSource(new Uint8Array(await blob.arrayBuffer()));
}

/** Reads slices of a file by its path; Node only. */
export async function fileSource(path: string | URL): Promise<ByteSource> {
  const fs = await nodeModule<typeof FileSystem>("node:fs");
  let descriptor: number | undefined = fs.openSync(path, "r");
  const close = (): void => {
    if (descriptor !== undefined) fs.closeSync(descriptor);
    descriptor = undefined;
  };
  try {
    const stat = fs.fstatSync(descriptor);
    if (stat.isDirectory()) throw new Error(`${String(path)} is a directory`);
    const read = (offset: number, length: number): Uint8Array => {
      descriptor ??= fs.openSync(path, "r"); // it has been closed meanwhile
      return readFully(fs, descriptor, offset, length);
    };
    return { size: stat.size, read, close };
  } catch (error) {
    close();
    throw error;
  }
}
