/**
 * A project that depends on the tarball and on nothing else, in an empty folder of its own. It is installed once per test
 * run, without a network: the package has no dependencies.
 */
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const tarball = process.env.FAKETENSOR_TARBALL;
if (!tarball) throw new Error("FAKETENSOR_TARBALL names the package to test; tests/package/run sets it");

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const classifier = path.join(root, "e2e/files/classifier.pt2");
export const custom = path.join(root, "e2e/files/custom.pt2");
/** A program that needs the engine's second file. */
export const eigenvalues = path.join(root, "tests/conformance/data/versions/2.11.0/eig1.pt2");
export const decoder = path.join(root, "web/playground/examples/decoder.json.gz");

const here = import.meta.dirname;

export function makeConsumer() {
  const folder = mkdtempSync(path.join(tmpdir(), "faketensor-"));
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const options = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  execFileSync("npm", ["install", ...options, tarball], { cwd: folder, stdio: "pipe" });
  cpSync(path.join(here, "app"), folder, { recursive: true });
  return {
    folder,
    package: path.join(folder, "node_modules/faketensor"),
    run: (command, args, more) => run(command, args, { cwd: folder, ...more }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a program to its end: its exit code and what it wrote. */
export async function run(command, args, options) {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, {
      encoding: "buffer",
      maxBuffer: 2 ** 28,
      ...options,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}
