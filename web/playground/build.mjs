/**
 * Builds the static page: `node build.mjs [FOLDER]` (or $SITE, or build/site of the repository). Needs the built package
 * `faketensor` (web/package): its worker and its wasm are copied beside the page, and it answers what is stored of the
 * first example. The policies of index.html and offline.html go into `_headers` too, which static hosts send with the files.
 */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";
import { connect } from "faketensor/worker";
import { bundle, checkShell, loadedWith } from "./bundle.mjs";

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
const { metafile } = await bundle({
  ...common,
  define: { kEngineBytes: String(statSync(path.join(engine, "faketensor.wasm")).size) },
  entryPoints: { playground: path.join(here, "src/main.ts") },
  loader: { ".css": "text" }, // of parts that are loaded on demand (src/adopted_style.ts)
  outdir: site,
  chunkNames: "[name]-[hash]",
});
const outputs = (files) => files.map((file) => path.resolve(here, file));
const first = outputs(loadedWith(metafile, "main.ts"));
const soon = outputs(loadedWith(metafile, "later_panes.ts"));
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
await esbuild.build({
  ...common,
  entryPoints: [path.join(here, "src/offline.ts")],
  outfile: path.join(site, "offline.js"),
});
const examples = readdirSync(path.join(here, "examples")).filter((file) => file.endsWith(".json.gz"));
for (const file of ["icon.svg", "manifest.webmanifest", ...examples.map((name) => `examples/${name}`)])
  cpSync(path.join(here, file), path.join(site, file));
await storeFirstAnswers("decoder");
// Nothing in the page depends on how its source is indented.
const page = readFileSync(path.join(here, "index.html"), "utf8");
const preloads = first
  .filter((file) => path.basename(file) !== "playground.js")
  .map((file) => `<link rel="modulepreload" href="${path.basename(file)}" />\n`);
writeFileSync(
  path.join(site, "index.html"),
  page.replace(/\n\s+/g, "\n").replace(/(?=<script )/, preloads.join("")),
);
const frame = readFileSync(path.join(here, "offline/offline.html"), "utf8");
writeFileSync(path.join(site, "offline.html"), frame);
for (const file of ["faketensor.wasm", "faketensor-rest.wasm"])
  cpSync(path.join(engine, file), path.join(site, file));
await writeServiceWorker();
writeHeaders();

/** The answers that the page's first picture takes: see src/stored.ts. */
async function storeFirstAnswers(name) {
  const recorder = await esbuild.build({
    ...common,
    entryPoints: [path.join(here, "src/stored_recorder.ts")],
    write: false,
    platform: "node",
  });
  const [{ text }] = recorder.outputFiles;
  const { recordExample } = await import(
    `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`
  );
  const file = readFileSync(path.join(here, `examples/${name}.json.gz`));
  const ft = await connect();
  try {
    const recorded = await recordExample(ft, name, new Blob([file]));
    writeFileSync(path.join(site, `examples/${name}.first.json`), recorded);
  } finally {
    ft.terminate();
  }
}

/** Everything in the site but the worker itself is kept, by its content. */
async function writeServiceWorker() {
  const hash = (data) => createHash("sha256").update(data).digest("hex").slice(0, 16);
  const files = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  const hashes = files.map((file) => [
    path.relative(site, file).replaceAll(path.sep, "/"),
    hash(readFileSync(file)),
  ]);
  await esbuild.build({
    ...common,
    entryPoints: [path.join(here, "offline/service_worker.ts")],
    outfile: path.join(site, "service-worker.js"),
    format: "iife",
    define: {
      kFiles: JSON.stringify(Object.fromEntries(hashes)),
      kVersion: JSON.stringify(hash(JSON.stringify(hashes))),
    },
  });
}

/** Which files a policy belongs to: documents and scripts of workers. A frame has another than the page. */
function writeHeaders() {
  const policyOf = (html) => /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/.exec(html)[1];
  const rules = [
    ["/*", "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer"],
    ...["/", "/index.html", "/engine.js"].map((file) => [file, `Content-Security-Policy: ${policyOf(page)}`]),
    ["/offline.html", `Content-Security-Policy: ${policyOf(frame)}`],
    ["/service-worker.js", "Content-Security-Policy: default-src 'none'; connect-src 'self'"],
  ];
  const lines = rules.flatMap(([file, ...headers]) => [file, ...headers.map((header) => `  ${header}`)]);
  writeFileSync(path.join(site, "_headers"), [...lines, ""].join("\n"));
}

const all = outputs(Object.keys(metafile.outputs));
const shell = new Set([path.join(site, "index.html"), path.join(site, "playground.css"), ...first, ...soon]);
checkShell(
  [...shell],
  all.filter((file) => !shell.has(file)),
  outputs(loadedWith(metafile, "source_pane.ts")).filter((file) => !shell.has(file)),
);
