import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const fuzzer = fileURLToPath(new URL("../../../tests/fuzz/damaged_files.mjs", import.meta.url));

it("damaged files are answered or refused, and the engine lives on", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [fuzzer, "--files", "300"]);
  const [, answered, refused] = /^(\d+) answered, (\d+) refused/.exec(stdout) ?? [];
  assert.equal(Number(answered) + Number(refused), 300);
  assert.ok(Number(answered) > 0 && Number(refused) > 0, stdout);
});
