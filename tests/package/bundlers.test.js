import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import esbuild from "esbuild";
import { rollup } from "rollup";
import { build as viteBuild } from "vite";
import webpack from "webpack";
import { visit } from "./browser.js";
import { classifier, eigenvalues, makeConsumer } from "./consumer.js";

let consumer;
/** By program: one that the engine's first file answers, and one that needs the second. */
const models = [classifier, eigenvalues];
let expected;
before(async () => {
  consumer = makeConsumer();
  expected = await inNode("node.js");
});
after(() => consumer.remove());

/** What is answered for each program. */
function inNode(script) {
  return Promise.all(
    models.map(async (model) => {
      const { code, stdout, stderr } = await consumer.run("node", [script, model]);
      assert.equal(code, 0, stderr.toString());
      return JSON.parse(stdout);
    }),
  );
}

function copyEngine(folder) {
  for (const file of ["faketensor.wasm", "faketensor-rest.wasm"])
    copyFileSync(path.join(consumer.package, "dist", file), path.join(folder, file));
}

/** Opens the page in `folder` in Chromium, under the strictest policy that WebAssembly allows. */
async function inBrowser(folder) {
  for (const [i, model] of models.entries()) {
    const { error, violations, rows, ...answers } = await visit(path.join(consumer.folder, folder), model);
    assert.equal(error, undefined);
    assert.deepEqual(violations, []);
    assert.equal(rows, expected[i].here.nodes);
    assert.deepEqual(answers, expected[i]);
  }
}

describe("the package bundled", () => {
  it("by nobody: modules straight from node_modules", async () => {
    const resolved = (file) => path.join(consumer.folder, "plain", file);
    mkdirSync(resolved("."), { recursive: true });
    for (const file of ["index.html", "browser.js", "answers.js"])
      copyFileSync(path.join(consumer.folder, file), resolved(file));
    // What an import map would do, which the policy forbids to write inline.
    for (const file of ["browser.js", "answers.js"]) {
      const text = readFileSync(resolved(file), "utf8")
        .replace('"faketensor"', '"/faketensor/index.js"')
        .replace(/"faketensor\/(\w+)"/, '"/faketensor/$1.js"');
      writeFileSync(resolved(file), text);
    }
    cpSync(path.join(consumer.package, "dist"), resolved("faketensor"), { recursive: true });
    await inBrowser("plain");
  });

  it("by esbuild, for Node", async () => {
    const outdir = path.join(consumer.folder, "esbuild-node");
    await esbuild.build({
      entryPoints: [
        path.join(consumer.folder, "node.js"),
        path.join(consumer.package, "dist/worker-main.js"),
      ],
      outdir,
      entryNames: "[name]",
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      minify: true,
    });
    // esbuild follows no `new URL(..., import.meta.url)`: the files go beside the bundle by hand.
    copyEngine(outdir);
    assert.deepEqual(await inNode("esbuild-node/node.js"), expected);
  });

  it("by esbuild, for a page", async () => {
    const outdir = path.join(consumer.folder, "esbuild-page");
    await esbuild.build({
      entryPoints: [
        path.join(consumer.folder, "browser.js"),
        path.join(consumer.package, "dist/worker-main.js"),
      ],
      outdir,
      entryNames: "[name]",
      bundle: true,
      splitting: true,
      format: "esm",
      minify: true,
    });
    copyEngine(outdir);
    copyFileSync(path.join(consumer.folder, "index.html"), path.join(outdir, "index.html"));
    await inBrowser("esbuild-page");
  });

  for (const [where, page] of Object.entries({ Node: "node", "a page": "browser" })) {
    it(`by Rollup, for ${where}`, async () => {
      const folder = path.join(consumer.folder, `rollup-${page}`);
      const warnings = [];
      const bundle = await rollup({
        input: {
          [page]: path.join(consumer.folder, `${page}.js`),
          "worker-main": path.join(consumer.package, "dist/worker-main.js"),
        },
        plugins: [nodeResolve()],
        external: /^node:/,
        onwarn: ({ message }) => warnings.push(message),
      });
      await bundle.write({ dir: folder, entryFileNames: "[name].js", chunkFileNames: "[name].js" });
      await bundle.close();
      assert.deepEqual(warnings, []);
      // Nor does Rollup follow such addresses.
      copyEngine(folder);
      copyFileSync(path.join(consumer.folder, "index.html"), path.join(folder, "index.html"));
      if (page === "browser") await inBrowser("rollup-browser");
      else assert.deepEqual(await inNode("rollup-node/node.js"), expected);
    });
  }

  it("by Vite", async () => {
    await viteBuild({
      root: consumer.folder,
      configFile: false,
      logLevel: "error",
      worker: { format: "es" },
      build: { outDir: "vite", target: "es2022" },
    });
    await inBrowser("vite");
  });

  it("by webpack", async () => {
    const compiler = webpack({
      mode: "production",
      context: consumer.folder,
      entry: "./browser.js",
      output: {
        path: path.join(consumer.folder, "webpack"),
        filename: "browser.js",
        module: true,
        publicPath: "/",
      },
      experiments: { outputModule: true },
    });
    const stats = await promisify(compiler.run.bind(compiler))();
    const { errors, warnings } = stats.toJson({ errors: true, warnings: true });
    // That the wasm file is large is so by intent.
    const meant = /asset size limit|entrypoint size limit|limit the size of your bundles/;
    assert.deepEqual([errors, warnings.filter(({ message }) => !meant.test(message))], [[], []]);
    await promisify(compiler.close.bind(compiler))();
    copyFileSync(path.join(consumer.folder, "index.html"), path.join(consumer.folder, "webpack/index.html"));
    await inBrowser("webpack");
  });
});
