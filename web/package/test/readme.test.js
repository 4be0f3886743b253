/** The examples of the READMEs run, and print what their comments say. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { load } from "faketensor";
import { bytesOf, pairsPath } from "./helper.js";

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

it("the guards of the package's README", async () => {
  const code = example("../README.md", "**Guards.**");
  const { value, comments } = run(code, ["ft", "bytes"], [await load(), bytesOf(pairsPath)]);
  assert.deepEqual(value, comments);
});

it("the session of the package's README", async () => {
  const { value, comments } = run(example("../README.md", "**Sessions.**"), ["ft"], [await load()]);
  assert.deepEqual(value, JSON.parse(comments[0]));
});
