/**
 * Builds the static page: `node build.mjs [FOLDER]` (or $SITE, or build/site of the repository). Needs the built package
 * `faketensor` (web/package): its worker and its wasm are copied beside the page. The policy of index.html goes into
 * `_headers` too, which static hosts send with every file.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const site = path.resolve(process.argv[2] ?? process.env.SITE ?? path.join(here, "../../build/site"));
/** dist/ of the package, which holds the worker's own module beside the wasm. */
const engine = path.dirname(fileURLToPath(import.meta.resolve("faketensor/wasm")));

rmSync(site, { recursive: true, force: true });
mkdirSync(path.join(site, "examples"), { recursive: true });
const common = {
  absWorkingDir: here,
  bundle: true,
  format: "esm",
  platform: "browser",
  target: ["es2022"],
  minify: true,
  legalComments: "none",
  external: ["node:*"],
  // The package's chunks are free of side effects and say so; their bare imports may go.
  logOverride: { "ignored-bare-import": "silent" },
};
await esbuild.build({
  ...common,
  entryPoints: { playground: path.join(here, "src/main.ts") },
  outdir: site,
  // What is seldom wanted is loaded when it is.
  splitting: true,
  chunkNames: "part-[hash]",
});
await esbuild.build({
  ...common,
  entryPoints: [path.join(engine, "worker-main.js")],
  outfile: path.join(site, "engine.js"),
});
await esbuild.build({
  ...common,
  entryPoints: [path.join(here, "playground.css")],
  outfile: path.join(site, "playground.css"),
  target: ["es2022", "chrome120", "firefox120", "safari17"],
});
for (const file of ["icon.svg", "examples/decoder.json.gz"])
  cpSync(path.join(here, file), path.join(site, file));
// Nothing in the page depends on how its source is indented.
const page = readFileSync(path.join(here, "index.html"), "utf8");
writeFileSync(path.join(site, "index.html"), page.replace(/\n\s+/g, "\n"));
for (const file of ["faketensor.wasm", "faketensor-rest.wasm"])
  cpSync(path.join(engine, file), path.join(site, file));

const [, policy] = /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/.exec(page);
const headers = [
  `Content-Security-Policy: ${policy}`,
  "X-Content-Type-Options: nosniff",
  "Referrer-Policy: no-referrer",
];
writeFileSync(path.join(site, "_headers"), ["/*", ...headers.map((line) => `  ${line}`), ""].join("\n"));
