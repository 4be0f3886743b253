#!/usr/bin/env node
/**
 * `npx faketensor`: the command in WebAssembly. Everything it says comes from the same C++ (core/command) as in the
 * native command; this file lends it Node's files, streams and terminal.
 */
import * as fs from "node:fs";
import { Engine, type EngineHost } from "./engine.js";

/** The C library's words for what Node gives as codes, so that both commands complain alike. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "Permission denied",
  EINVAL: "Invalid argument",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  EMFILE: "Too many open files",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOTDIR: "Not a directory",
  EPERM: "Operation not permitted",
};

const standardInput = 0;

class NodeHost implements EngineHost {
  readonly terminalWidth = process.stderr.isTTY ? process.stderr.columns : 0;
  /** Pipes and standard input, which cannot be read by position: their bytes. Files: their descriptors. */
  readonly #opened: (number | Uint8Array)[] = [];

  open(path: string): { id: number; size: number } | string {
    try {
      const descriptor = path === "-" ? standardInput : fs.openSync(path, "r");
      const stat = fs.fstatSync(descriptor);
      if (stat.isDirectory()) return `${reasons["EISDIR"]}`;
      const content =
        stat.isFile() && descriptor !== standardInput ? descriptor : fs.readFileSync(descriptor);
      const size = typeof content === "number" ? stat.size : content.byteLength;
      return { id: this.#opened.push(content) - 1, size };
    } catch (error) {
      return reasonOf(error);
    }
  }

  read(id: number, offset: number, length: number): Uint8Array | null {
    const from = this.#opened[id];
    if (from === undefined) return null;
    if (typeof from !== "number") return from.subarray(offset, offset + length);
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const count = fs.readSync(from, bytes, filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  write(stream: number, bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length;) {
      try {
        written += fs.writeSync(stream, bytes, written);
      } catch (error) {
        // A pipe that is full for the moment, as Node's standard streams are not always blocking.
        if (codeOf(error) !== "EAGAIN") throw error;
        Atomics.wait(pause, 0, 0, 1);
      }
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function reasonOf(error: unknown): string {
  return reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}

async function main(): Promise<number> {
  const engine = await Engine.instantiate();
  const host = new NodeHost();
  try {
    return engine.raw((exports) => exports.runCommand(JSON.stringify(process.argv.slice(2)), host));
  } catch (error) {
    // Whoever read our output has had enough, `faketensor ... | head`: the native command is ended by SIGPIPE, status 141.
    if (codeOf((error as Error).cause) === "EPIPE") return 141;
    throw error;
  }
}

process.exitCode = await main();
