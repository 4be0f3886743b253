/**
 * Bundles an entry with its on-demand parts (`import("./pane.js")`): one file for what the entry imports statically, one
 * for each part with what only parts need. esbuild alone would cut what the entry shares with its parts into a dozen small
 * files, one for each set of parts that share something; so every part is made to import all of it.
 *
 * `shellOf` says what the first picture of a page takes, and `checkShell` that it is not too much.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import esbuild from "esbuild";

/** Bytes after gzip -9 of the page's HTML, style sheet and scripts that it loads without being asked to. */
export const kShellLimit = 70_000;

export async function bundle(options) {
  const first = await esbuild.build({ ...options, splitting: true, write: false, metafile: true });
  const [entry] = Object.values(options.entryPoints);
  const main = path.relative(options.absWorkingDir, entry);
  // What packages hold comes with the modules that import it.
  const folder = path.dirname(main);
  const shared = [...staticInputs(first.metafile, main)].filter(
    (input) => input !== main && path.dirname(input) === folder,
  );
  const imports = shared.map(
    (input) => `import ${JSON.stringify(path.resolve(options.absWorkingDir, input))};\n`,
  );
  return esbuild.build({
    ...options,
    splitting: true,
    metafile: true,
    plugins: [...(options.plugins ?? []), sharing(imports.join(""))],
  });
}

/** The modules that an entry imports statically, itself too. */
function staticInputs({ inputs }, entry) {
  const found = new Set();
  const waiting = [entry];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (found.has(at) || inputs[at] === undefined) continue;
    found.add(at);
    for (const { kind, path: to } of inputs[at].imports) if (kind === "import-statement") waiting.push(to);
  }
  return found;
}

/** Puts `imports` before each on-demand part. */
function sharing(imports) {
  return {
    name: "sharing",
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ kind, path: name, resolveDir }) => {
        if (kind !== "dynamic-import") return undefined;
        return { path: path.resolve(resolveDir, name), namespace: "part", pluginData: { resolveDir } };
      });
      build.onLoad({ filter: /.*/, namespace: "part" }, ({ path: file, pluginData }) => ({
        contents: `${imports}export * from ${JSON.stringify(file)};`,
        resolveDir: pluginData.resolveDir,
      }));
    },
  };
}

/** The outputs that are loaded with `entry` (`"main.ts"`), by their paths: its own and what these import statically. */
export function loadedWith({ outputs }, entry) {
  const [start] = Object.entries(outputs).find(
    ([, { entryPoint = "" }]) =>
      path.basename(entryPoint).replace(/\.[jt]s$/, "") === entry.replace(/\.ts$/, ""),
  );
  const found = new Set();
  const waiting = [start];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    for (const { kind, path: to } of outputs[at].imports) if (kind === "import-statement") waiting.push(to);
  }
  return [...found];
}

/** The same of the source pane with its editor. */
export const kSourceLimit = 160_000;

const zipped = (file) => gzipSync(readFileSync(file), { level: 9 }).length;

/** Says what the shell and the source pane weigh, and throws where that is more than they may. `files`: what the page loads unasked. */
export function checkShell(files, parts, source) {
  const sizes = files.map((file) => [path.basename(file), zipped(file)]);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const listed = (list) => list.map(([name, size]) => `${name} ${size}`).join(", ");
  console.log(`page shell: ${total} of ${kShellLimit} bytes of gzip: ${listed(sizes)}`);
  console.log(`on demand: ${listed(parts.map((file) => [path.basename(file), zipped(file)]))}`);
  const editor = source.reduce((sum, file) => sum + zipped(file), 0);
  console.log(`source pane: ${editor} of ${kSourceLimit} bytes of gzip`);
  if (editor > kSourceLimit)
    throw new Error(`the source pane is ${editor} bytes of gzip, over its limit of ${kSourceLimit}`);
  if (total > kShellLimit)
    throw new Error(
      `the page's shell is ${total} bytes of gzip, over its limit of ${kShellLimit}: load what the first picture does without on demand (src/later.ts)`,
    );
}
