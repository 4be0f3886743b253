/**
 * What pictures of models are like (web/playground/tests/picture_measures.ts): node e2e/measure/layout.mjs [FOLDER | FILE...]
 *
 * Every program of the folders (default ../shared/conformance/models), each at every depth: share of ink of the fully opened
 * picture, shapes run through by lines, how far chains are from straight, depths at which no name is in sight. Needs the built
 * package (scripts/build package).
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./site.mjs";

const web = path.join(root, "web");
const esbuild = createRequire(path.join(web, "package.json"))("esbuild");
const engine = pathToFileURL(path.join(web, "package/dist/index.js")).href;
const folder = mkdtempSync(path.join(tmpdir(), "layout-measure-"));
await esbuild.build({
  stdin: {
    contents: `export * from "./tests/picture_measures.ts"; export { Model } from "./src/model.ts"; export { Scene } from "./src/scene.ts";`,
    resolveDir: path.join(web, "playground"),
  },
  bundle: true,
  format: "esm",
  platform: "node",
  outfile: path.join(folder, "page.mjs"),
  plugins: [
    {
      name: "the built package",
      setup: (build) => build.onResolve({ filter: /^faketensor$/ }, () => ({ path: engine, external: true })),
    },
  ],
});
const { measurePicture, Model, Scene } = await import(pathToFileURL(path.join(folder, "page.mjs")).href);
rmSync(folder, { recursive: true });
const { load } = await import(engine);

function programsIn(place) {
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place, { recursive: true })
    .filter((name) => /\.json(\.gz)?$|\.pt2$/.test(name) && !/answers|index|custom_ops/.test(name))
    .sort()
    .map((name) => path.join(place, name));
}

const asked = process.argv.slice(2);
const shared = path.join(root, "../shared/conformance/models");
const places = asked.length > 0 ? asked : [existsSync(shared) ? shared : path.join(root, "e2e/files")];
const ft = await load();
const short = [];
const sums = { files: 0, depths: 0, labels: 0, crossed: 0, ink: 0, drift: 0, blank: 0 };
const percent = (share) => `${(100 * share).toFixed(1)} %`;

for (const file of places.flatMap(programsIn)) {
  const name = path.relative(places[0], file) || path.basename(file);
  let program;
  try {
    program = ft.open(readFileSync(file), { name, sections: true, bodies: true });
  } catch (error) {
    console.log(`${name}: ${error.message}`);
    continue;
  }
  const run = program.propagate();
  const model = new Model(program.info, run.table(), run.problems, 0);
  const deepest = model.maxDepth();
  const worst = { drift: 0, blank: 0, labels: 0, crossed: 0 };
  let last = null;
  let milliseconds = 0;
  for (let depth = 0; depth <= deepest; depth++) {
    const expanded = model.modulesToDepth(depth);
    const begin = performance.now();
    const layout = program.layout({ expanded, plumbing: false });
    milliseconds = performance.now() - begin;
    if (layout.box.count > 30_000) continue;
    last = measurePicture(new Scene(model, layout, expanded));
    worst.drift = Math.max(worst.drift, last.drift);
    worst.blank += last.blank;
    worst.labels += last.labels;
    worst.crossed += last.crossed;
    sums.depths++;
  }
  program.dispose();
  if (last === null) continue;
  const { width, height, boxes, ink } = last;
  console.log(
    `${name}: ${deepest + 1} depths, ${boxes} boxes, ${width} x ${height}, ink ${percent(ink)}, crossed ${worst.crossed} of ${worst.labels}, drift ${worst.drift}, blank ${worst.blank}, ${milliseconds.toFixed(1)} ms`,
  );
  sums.files++;
  sums.labels += worst.labels;
  sums.crossed += worst.crossed;
  if (ink < 0.05) short.push(`${name} ink ${percent(ink)}`);
  if (worst.drift > 12) short.push(`${name} drift ${worst.drift}`);
  if (worst.blank > 0) short.push(`${name} blank ${worst.blank}`);
  if (worst.crossed > 0.05 * worst.labels)
    short.push(`${name} crossed ${percent(worst.crossed / worst.labels)}`);
}
console.log(
  `${sums.files} programs, ${sums.depths} pictures, ${sums.crossed} of ${sums.labels} shapes run through`,
);
console.log(short.length === 0 ? "nothing falls short" : `short of what is asked:\n  ${short.join("\n  ")}`);
