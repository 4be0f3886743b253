// `faketensor` in WebAssembly for command after command, in one process: replay.py --server.
import * as fs from "node:fs";
import * as readline from "node:readline";
import createModule from "../../build/wasm/bin/faketensor-command.mjs";

const binary = fs.readFileSync(new URL("../../build/wasm/bin/faketensor-command.wasm", import.meta.url));
const engine = await createModule({
  instantiateWasm(imports, receive) {
    WebAssembly.instantiate(binary, imports).then(({ instance, module }) => receive(instance, module));
    return {};
  },
});

/** Writes what one command prints to a file, and keeps its diagnostics. */
function run({ args, answers }) {
  const out = fs.openSync(answers, "w");
  let error = "";
  const host = {
    outIsTerminal: false,
    errorIsTerminal: false,
    columns: 0,
    open(path) {
      const bytes = fs.readFileSync(path);
      return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
    },
    write(stream, bytes) {
      if (stream === 1) fs.writeSync(out, bytes);
      else error += Buffer.from(bytes).toString();
      return "";  // no reason why it could not be written
    },
  };
  try {
    return { status: engine.runCommand(JSON.stringify(args), host), error };
  } finally {
    fs.closeSync(out);
  }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = run(JSON.parse(line));
  } catch (error) {
    reply = { status: 70, error: String(error) };
  }
  process.stdout.write(JSON.stringify(reply) + "\n");
}
