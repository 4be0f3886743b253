/** Bundles tests/*.test.ts and runs them with node's test runner; no page, no engine. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(path.join(tmpdir(), "playground-tests-"));
await esbuild.build({
  absWorkingDir: here,
  entryPoints: readdirSync(here).filter((name) => name.endsWith(".test.ts")),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  loader: { ".css": "text" },
  target: ["node20"],
  sourcemap: "inline",
});
const files = readdirSync(out).map((name) => path.join(out, name));
// By default node leaves one processor alone, of two.
const options = ["--enable-source-maps", "--test", `--test-concurrency=${availableParallelism()}`];
const { status } = spawnSync(process.execPath, [...options, ...files], { stdio: "inherit" });
rmSync(out, { recursive: true });
process.exit(status ?? 1);
