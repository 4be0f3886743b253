/**
 * Builds dist/: `node build.js [FOLDER]`, where FOLDER (or $FAKETENSOR_WASM, or build/wasm/bin of the repository) holds
 * Emscripten's faketensor.mjs, faketensor.wasm and faketensor-rest.wasm, and those of faketensor-command.
 *
 * The four entry points share chunks, so that what imports two of them loads the engine's JavaScript once. Types are
 * emitted by tsc beside them.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const wasm = path.resolve(
  process.argv[2] ?? process.env.FAKETENSOR_WASM ?? path.join(here, "../../build/wasm/bin"),
);
const dist = path.join(here, "dist");

/** Puts Emscripten's modules in the place of src/glue.js and src/command_glue.js, of which the sources hold only the types. */
const glue = {
  name: "glue",
  setup(build) {
    build.onResolve({ filter: /^\.\/glue\.js$/ }, () => ({ path: path.join(wasm, "faketensor.mjs") }));
    build.onResolve({ filter: /^\.\/command_glue\.js$/ }, () => ({
      path: path.join(wasm, "faketensor-command.mjs"),
    }));
  },
};

/** The element is the page's picture (../playground), on this package's own worker and with the page's palette. */
const playground = path.join(here, "../playground");
const viewer = {
  name: "viewer",
  setup(build) {
    build.onResolve({ filter: /^\.\/viewer\.js$/ }, () => ({ path: path.join(playground, "src/viewer.ts") }));
    build.onResolve({ filter: /^faketensor\/worker$/ }, () => ({ path: path.join(here, "src/worker.ts") }));
    build.onResolve({ filter: /^\.\/viewer_palette\.js$/ }, ({ path: name }) => ({
      path: name,
      namespace: "palette",
    }));
    build.onLoad({ filter: /.*/, namespace: "palette" }, () => {
      const css = readFileSync(path.join(playground, "styles/base.css"), "utf8");
      const [light, dark] = [/^:root \{([^}]*)\}/m, /^:root\[data-theme="dark"\] \{([^}]*)\}/m].map((rule) =>
        rule.exec(css)[1].replace(/\s+/g, " ").trim(),
      );
      return { contents: `export const kLight = ${JSON.stringify(light)}, kDark = ${JSON.stringify(dark)};` };
    });
  },
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
await esbuild.build({
  absWorkingDir: here,
  entryPoints: ["index", "worker", "worker-main", "element", "command"].map((name) => `src/${name}.ts`),
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "neutral",
  target: ["es2022"],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  external: ["node:*"],
  plugins: [glue, viewer],
});
// esbuild drops the comments that tell bundlers not to look into imports of Node's modules (src/node.ts).
for (const file of readdirSync(dist)) {
  const text = readFileSync(path.join(dist, file), "utf8");
  const marked = text.replace(/\bimport\((?=\w)/g, "import(/* webpackIgnore: true */ /* @vite-ignore */ ");
  if (marked !== text) writeFileSync(path.join(dist, file), marked);
}
for (const file of ["faketensor.wasm", "faketensor-rest.wasm", "faketensor-command.wasm"])
  copyFileSync(path.join(wasm, file), path.join(dist, file));
for (const types of ["wasm.d.ts", "viewer.d.ts"])
  copyFileSync(path.join(here, "src", types), path.join(dist, types));
execFileSync(
  process.execPath,
  [fileURLToPath(import.meta.resolve("typescript/bin/tsc")), "--project", path.join(here, "tsconfig.json")],
  { stdio: "inherit" },
);
