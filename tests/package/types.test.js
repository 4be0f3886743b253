import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { makeConsumer, tarball } from "./consumer.js";

const tsc = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));
const strict = {
  target: "ES2022",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
};

describe("types", () => {
  let consumer;
  before(() => {
    consumer = makeConsumer();
    symlinkSync(
      path.join(import.meta.dirname, "node_modules/@types"),
      path.join(consumer.folder, "node_modules/@types"),
    );
  });
  after(() => consumer.remove());

  for (const [where, options] of Object.entries({
    "a bundler for pages": {
      module: "ESNext",
      moduleResolution: "Bundler",
      lib: ["ES2022", "DOM"],
      types: [],
    },
    "Node with the DOM's types": { module: "NodeNext", lib: ["ES2022", "DOM"], types: ["node"] },
    "Node without them": { module: "NodeNext", lib: ["ES2023"], types: ["node"] },
  })) {
    it(`hold in strict TypeScript for ${where}`, async () => {
      const configuration = { compilerOptions: { ...strict, ...options }, files: ["types.ts"] };
      writeFileSync(path.join(consumer.folder, "tsconfig.json"), JSON.stringify(configuration));
      const { code, stdout } = await consumer.run("node", [tsc, "--project", "."]);
      assert.equal(code, 0, stdout.toString());
    });
  }

  it("resolve wherever the package does (are the types wrong?)", async () => {
    const found = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    // ESM only, by intent: require() of it is told to import() instead.
    const meant = new Set(["CJSResolvesToESM"]);
    const problems = found.problems.filter(
      ({ kind, resolutionKind }) => !meant.has(kind) && resolutionKind !== "node10",
    );
    assert.deepEqual(problems, []);
  });

  it("and everything else pass publint", async () => {
    const { messages } = await publint({
      pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer },
      strict: true,
    });
    assert.deepEqual(messages, []);
  });
});
