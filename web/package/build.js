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
  plugins: [glue],
});
// esbuild drops the comments that tell bundlers not to look into imports of Node's modules (src/node.ts).
for (const file of readdirSync(dist)) {
  const text = readFileSync(path.join(dist, file), "utf8");
  const marked = text.replace(/\bimport\((?=\w)/g, "import(/* webpackIgnore: true */ /* @vite-ignore */ ");
  if (marked !== text) writeFileSync(path.join(dist, file), marked);
}
for (const file of ["faketensor.wasm", "faketensor-rest.wasm", "faketensor-command.wasm"])
  copyFileSync(path.join(wasm, file), path.join(dist, file));
copyFileSync(path.join(here, "src/wasm.d.ts"), path.join(dist, "wasm.d.ts"));
execFileSync(
  process.execPath,
  [fileURLToPath(import.meta.resolve("typescript/bin/tsc")), "--project", path.join(here, "tsconfig.json")],
  { stdio: "inherit" },
);
