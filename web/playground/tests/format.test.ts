import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { dtypeShort } from "../src/format.js";

it("short names of dtypes are the engine's", () => {
  const table = readFileSync("../../core/tensor/dtype.cpp", "utf8"); // from the workspace's folder
  const rows = [...table.matchAll(/\{"(\w+)", "\w+", "(\w+)", \d+, k/g)];
  assert.ok(rows.length > 40);
  for (const [, name, short] of rows) assert.equal(dtypeShort(name), short);
});
