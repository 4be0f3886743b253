#!/usr/bin/env node
/**
 * `npx faketensor`: the command in WebAssembly. Everything it says comes from the same C++ (core/command) as in the
 * native command; this file lends it Node's files, streams and terminal.
 */
import * as fs from "node:fs";
import createModule from "./command_glue.js";
import type { EngineSource } from "./engine.js";
import { instance } from "./instance.js";
import { readFully } from "./node.js";

/** What the command in C++ asks of its host. */
interface CommandHost {
  /** A file to read from, or the reason why there is none: `cannot open: No such file or directory`. */
  open(path: string): EngineSource | string;
  /**
   * Writes all bytes, or says why it cannot; "" where it could. Stream 1 is standard output, 2 the diagnostics. The bytes
   * are wasm memory, good during the call.
   */
  write(stream: number, bytes: Uint8Array): string;
  /** Writes a whole file, or says why it cannot; "" where it could. The bytes are wasm memory, as above. */
  writeFile(path: string, bytes: Uint8Array): string;
  readonly outIsTerminal: boolean;
  readonly errorIsTerminal: boolean;
  /** Of the terminal; 0 where there is none. */
  readonly columns: number;
}

/** The functions of wasm/command/bindings.cpp. */
interface CommandExports {
  runCommand(argv: string, host: CommandHost): number;
}

/** The C library's words for what Node gives as codes, so that both commands complain alike. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "Permission denied",
  EINVAL: "Invalid argument",
  EIO: "Input/output error",
  ELOOP: "Too many levels of symbolic links",
  EMFILE: "Too many open files",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  EPERM: "Operation not permitted",
};

class NodeHost implements CommandHost {
  readonly outIsTerminal = process.stdout.isTTY;
  readonly errorIsTerminal = process.stderr.isTTY;
  readonly columns = process.stdout.isTTY ? process.stdout.columns : 0;

  open(path: string): EngineSource | string {
    try {
      const descriptor = path === "-" ? process.stdin.fd : fs.openSync(path, "r");
      const stat = fs.fstatSync(descriptor);
      if (stat.isDirectory()) return "cannot read: Is a directory";
      // A pipe cannot be read by position, so it is read whole.
      return stat.isFile() ? fileSlices(descriptor, stat.size) : byteSlices(fs.readFileSync(descriptor));
    } catch (error) {
      return `cannot open: ${reasonOf(error)}`;
    }
  }

  /** Nothing may be thrown from here: it would pass through the frames of WebAssembly. */
  write(stream: number, bytes: Uint8Array): string {
    for (let written = 0; written < bytes.length;) {
      try {
        written += fs.writeSync(stream, bytes, written);
      } catch (error) {
        const code = codeOf(error);
        // The reader of our output has closed it, as `faketensor ... | head` does: SIGPIPE ends the native command, status 141.
        if (code === "EPIPE") process.exit(141);
        if (code !== "EAGAIN") return reasonOf(error);
        // A pipe that is full for the moment: Node's standard streams do not always block.
        Atomics.wait(pause, 0, 0, 1);
      }
    }
    return "";
  }

  writeFile(path: string, bytes: Uint8Array): string {
    try {
      fs.writeFileSync(path, bytes);
      return "";
    } catch (error) {
      return reasonOf(error);
    }
  }
}

function fileSlices(descriptor: number, size: number): EngineSource {
  const read = (offset: number, length: number): Uint8Array | null => {
    try {
      return readFully(fs, descriptor, offset, length);
    } catch {
      return null;
    }
  };
  return { size, read };
}

function byteSlices(bytes: Uint8Array): EngineSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

const pause = new Int32Array(new SharedArrayBuffer(4));

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function reasonOf(error: unknown): string {
  return reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}

async function main(): Promise<number> {
  const wasm = new URL("./faketensor-command.wasm", import.meta.url);
  const command = await instance<CommandExports>(createModule, wasm);
  return command.runCommand(JSON.stringify(process.argv.slice(2)), new NodeHost());
}

process.exitCode = await main();
