import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { classifier, decoder, makeConsumer } from "./consumer.js";

let consumer;
before(() => {
  consumer = makeConsumer();
});
after(() => consumer.remove());

describe("the package in an empty folder", () => {
  it("holds its built files only, and depends on nothing", () => {
    const files = readdirSync(consumer.package, { recursive: true }).filter((file) =>
      statSync(path.join(consumer.package, file)).isFile(),
    );
    for (const file of files) {
      assert.match(file, /^(package\.json|README\.md|LICENSE|dist\/[\w-]+\.(js|d\.ts|wasm))$/);
    }
    assert.deepEqual(
      readdirSync(path.join(consumer.folder, "node_modules")).filter((name) => !name.startsWith(".")),
      ["faketensor"],
    );
  });

  it("answers in Node, in this thread and in a worker thread", async () => {
    for (const file of [classifier, decoder]) {
      const { code, stdout, stderr } = await consumer.run("node", ["node.js", file]);
      assert.equal(code, 0, stderr.toString());
      const { here, there } = JSON.parse(stdout);
      assert.ok(here.names.length > 5 && here.size.length > 0);
      assert.deepEqual(there, here);
    }
  });

  it("gives the wasm file and its own description by name", async () => {
    const script = `
      import { readFileSync } from "node:fs";
      import { createRequire } from "node:module";
      import { load } from "faketensor";
      const bytes = readFileSync(createRequire(import.meta.url).resolve("faketensor/wasm"));
      const { version } = createRequire(import.meta.url)("faketensor/package.json");
      console.log(version, (await load({ wasm: bytes })).info.version);`;
    const { stdout } = await consumer.run("node", ["--input-type=module", "--eval", script]);
    const [declared, engine] = stdout.toString().trim().split(" ");
    assert.equal(engine, declared);
  });

  it("refuses what is not exported", async () => {
    const inner = pathToFileURL(path.join(consumer.folder, "x.js")).href;
    const { code, stderr } = await consumer.run("node", [
      "--input-type=module",
      "--eval",
      `import "faketensor/dist/engine.js"; // ${inner}`,
    ]);
    assert.notEqual(code, 0);
    assert.match(stderr.toString(), /ERR_PACKAGE_PATH_NOT_EXPORTED/);
  });
});
