/** The examples of the READMEs run, and print what their comments say. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "faketensor";
import { bytesOf, classifierPath, decoderPath, pairsPath, resnetPath } from "./helper.js";

/** Runs an example whose last statement, from a line that starts with "[", is a list; gives that and the comments after it. */
function run(code, names, values) {
  const at = code.search(/^\[/m);
  const comments = [...code.slice(at).matchAll(/^\/\/ (.*)$/gm)].map(([, text]) => text);
  const body = `${code.slice(0, at)}\nreturn ${code.slice(at).replace(/\n\/\/[^]*$/, "")}`;
  return { value: new Function(...names, body)(...values), comments };
}

/** The first example below a heading. */
function example(readme, heading) {
  const text = readFileSync(new URL(readme, import.meta.url), "utf8");
  const from = text.indexOf(heading);
  assert.notEqual(from, -1, `${heading} is in ${readme}`);
  return /```[jt]s\n([\s\S]*?)```/.exec(text.slice(from))[1];
}

it("the custom operator of the project's README", async () => {
  const printed = [];
  const run = new Function(
    "ft",
    "console",
    example("../../../README.md", "### A custom operator in JavaScript"),
  );
  run(await load(), { log: (...values) => printed.push(values) });
  assert.deepEqual(printed, [[["u0", 2], []]]);
});

it("the custom operator of the package's README", async () => {
  const text = example("../README.md", "**Custom operators.**");
  const lines = text.trimEnd().split("\n");
  const last = lines.pop(); // an expression and its value
  const run = new Function("ft", `${lines.join("\n")}\nreturn ${last}`);
  assert.deepEqual(run(await load()), ["u0", 2]);
});

it("the guards and the what-if of the package's README", async () => {
  const ft = await load();
  for (const heading of ["**Guards and what-if.**", "Where `holds`, `run.table(symbols)`"]) {
    const { value, comments } = run(
      example("../README.md", heading),
      ["ft", "bytes"],
      [ft, bytesOf(pairsPath)],
    );
    assert.deepEqual(value, comments);
  }
});

it("the compiled function of the package's README", async () => {
  const { value, comments } = run(example("../README.md", "**Compiled functions.**"), ["ft"], [await load()]);
  assert.deepEqual(
    value.map((line) => line.trimEnd()),
    comments.map((line) => line.trimEnd()),
  );
});

it("the what-ifs of the package's README", async () => {
  const code = example("../README.md", "**What-ifs.**");
  const { value, comments } = run(code, ["ft", "bytes"], [await load(), bytesOf(classifierPath)]);
  assert.deepEqual(value, comments);
});

/** What the command prints for the example of its line "$ faketensor ...", up to the end of the block. */
it("the symbolic sizes of the project's README", async () => {
  const text = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const block = /```text\n([\s\S]*?)```/.exec(text.slice(text.indexOf("### Symbolic sizes")))[1];
  const command = fileURLToPath(new URL("../dist/command.js", import.meta.url));
  const cases = block.split(/^\$ /m).slice(1);
  assert.equal(cases.length, 4);
  for (const each of cases) {
    const [line, ...printed] = each.trimEnd().split("\n");
    const words = line.split(" ").slice(1);
    const args = words.map((word) => (word === "model.pt2" ? pairsPath : word));
    const { stdout } = spawnSync(process.execPath, [command, ...args], { encoding: "utf8" });
    assert.equal(stdout.trimEnd(), printed.join("\n"), line);
  }
});

it("the passes of the package's README", async () => {
  const { value, comments } = run(
    example("../README.md", "**Passes.**"),
    ["ft", "bytes"],
    [await load(), bytesOf(classifierPath)],
  );
  assert.deepEqual(value, comments);
});

it("the passes of core/passes/README.md", async () => {
  const ft = await load();
  const text = readFileSync(new URL("../../../core/passes/README.md", import.meta.url), "utf8");
  const [replaces, fuses] = [...text.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code);
  for (const code of [replaces, fuses]) assert.ok(code.trimEnd().split("\n").length < 25);
  const program = ft.open(bytesOf(resnetPath), { name: "resnet.json" });
  const made = (code, name, of) => new Function("ft", "program", `${code}\nreturn ${name};`)(ft, of);
  const count = (of, target) => of.text("graph").split(`target=torch.ops.aten.${target}]`).length - 1;
  const decoder = ft.open(bytesOf(decoderPath), { name: "decoder.json" });
  const adds = count(decoder, "add.Tensor");
  assert.ok(adds > 0);
  assert.equal(count(made(replaces, "changed", decoder), "sub.Tensor"), adds);
  const fused = made(fuses, "fused", program);
  assert.ok(count(program, "batch_norm.default") > 1);
  assert.equal(count(fused, "batch_norm.default"), 0);
  assert.equal(count(fused, "conv2d.default"), count(program, "conv2d.default"));
  const [before, after] = [program, fused].map((of) => of.propagate().value(of.info.outputs[0]));
  assert.ok(fused.propagate().ok);
  assert.deepEqual([after.size, after.stride, after.dtype], [before.size, before.stride, before.dtype]);
});

it("the session of the package's README", async () => {
  const { value, comments } = run(example("../README.md", "**Sessions.**"), ["ft"], [await load()]);
  assert.deepEqual(value, JSON.parse(comments[0]));
});

/** What examples take for given, by name. */
const given = {
  ft: 'import("faketensor").FakeTensor',
  mode: 'import("faketensor").Mode',
  x: 'import("faketensor").Tensor',
  bytes: "Uint8Array<ArrayBuffer>",
  file: "File",
  onProgress: "(done: number, total: number) => void",
  signal: "AbortSignal",
};

it("every example in JavaScript or TypeScript compiles in strict TypeScript", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "faketensor-readme-"));
  try {
    const files = [];
    for (const readme of ["../README.md", "../../../README.md"]) {
      const text = readFileSync(new URL(readme, import.meta.url), "utf8");
      for (const [, code] of text.matchAll(/^```[jt]s\n([\s\S]*?)^```/gm)) {
        const declared = Object.entries(given)
          .filter(([name]) => !new RegExp(`const ${name} =`).test(code))
          .map(([name, type]) => `declare const ${name}: ${type};\n`);
        files.push(`example${files.length}.ts`);
        writeFileSync(path.join(folder, files.at(-1)), `${declared.join("")}${code}\nexport {};\n`);
      }
    }
    assert.ok(files.length >= 10);
    const target = (relative) => fileURLToPath(new URL(relative, import.meta.url));
    mkdirSync(path.join(folder, "node_modules"));
    symlinkSync(target(".."), path.join(folder, "node_modules/faketensor"), "dir");
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: false, target: "ES2022", module: "NodeNext", types: [] },
      lib: ["ES2023", "DOM"],
    };
    writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));
    const { stdout } = spawnSync(process.execPath, [tsc, "--project", folder], { encoding: "utf8" });
    assert.equal(stdout, "");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
