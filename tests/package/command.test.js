import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { classifier, custom, decoder, makeConsumer, run } from "./consumer.js";

const native = process.env.FAKETENSOR_NATIVE;
/** What npx runs; npm itself may warn of the machine's settings on standard error. */
const command = "node_modules/.bin/faketensor";

let consumer;
before(() => {
  consumer = makeConsumer();
  mkdirSync(path.join(consumer.folder, "empty"));
  writeFileSync(path.join(consumer.folder, "not.json"), "not json");
});
after(() => consumer.remove());

describe("npx faketensor", () => {
  const uses = [
    ["propagate", classifier],
    ["propagate", decoder, "--format", "jsonl"],
    ["propagate", decoder, "--format", "json", "--set", "batch=3"],
    ["propagate", custom],
    ["info", classifier],
    ["ops", "mm"],
    ["call", "aten::mm", "f32[2,3]", "f32[3,4]"],
    ["call", "aten::mm", "f32[2,3]", "f32[4,5]"],
    ["--help"],
    ["propagate", "--help"],
    [],
    ["no-such-command"],
    ["propagate", "no-such-file.pt2"],
    ["propagate", "empty"],
    ["propagate", "not.json"],
    ["propagate", decoder, "--device", "toaster"],
  ];
  for (const args of uses) {
    const shown = args.map((arg) => path.basename(arg)).join(" ");
    it(`${shown}: the bytes and the exit code of the native command`, async () => {
      const expected = await run(native, args, { cwd: consumer.folder });
      const got = await consumer.run(command, args);
      assert.equal(got.stdout.toString(), expected.stdout.toString());
      assert.equal(got.stderr.toString(), expected.stderr.toString());
      assert.equal(got.code, expected.code);
    });
  }

  it("is found by npx", async () => {
    const { code, stdout } = await consumer.run("npx", ["--offline", "faketensor", "--help"]);
    assert.equal(code, 0);
    assert.match(stdout.toString(), /propagate/);
  });

  it("reads a pipe", async () => {
    const script = 'mkfifo pipe-$$ && { cat "$0" > pipe-$$ & } && "$@" propagate pipe-$$ --format jsonl';
    const piped = (...program) => consumer.run("bash", ["-c", script, decoder, ...program]);
    const expected = await piped(native);
    const got = await piped(command);
    assert.equal(got.stdout.toString(), expected.stdout.toString());
    assert.ok(expected.stdout.length > 100);
  });

  it("ends quietly when nobody reads on, as the native command does", async () => {
    // More than a pipe holds: less could be written before the reader goes.
    const uses = ["ops", "ops aten::"];
    for (const use of uses) {
      const line = (program) => `${program} ${use} | head -n 1; echo "exit code ${"$"}{PIPESTATUS[0]}"`;
      const expected = await consumer.run("bash", ["-c", line(native)]);
      const got = await consumer.run("bash", ["-c", line(command)]);
      assert.equal(got.stdout.toString().split("\n").length, 3);
      assert.equal(got.stderr.toString(), "");
      assert.equal(got.stdout.toString(), expected.stdout.toString());
      assert.match(got.stdout.toString(), /exit code 141/);
    }
  });

  it("says that the output cannot be written, as the native command does", async () => {
    for (const use of [`propagate "$0"`, "ops", "--help"]) {
      const line = (program) => `${program} ${use} > /dev/full`;
      const expected = await consumer.run("bash", ["-c", line(native), decoder]);
      const got = await consumer.run("bash", ["-c", line(command), decoder]);
      assert.equal(got.stderr.toString(), "faketensor: cannot write the output: No space left on device\n");
      assert.equal(got.stderr.toString(), expected.stderr.toString());
      assert.deepEqual([got.code, expected.code], [2, 2]);
    }
  });
});
