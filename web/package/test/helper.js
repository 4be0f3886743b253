/** What the tests share: the files they open and the sources that the package does not export. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const root = new URL("../../../", import.meta.url);

/** A classifier with weights, a program with a custom operator, a decoder as JSON, one with symbols and a static one, all of this repository. */
export const classifierPath = fileURLToPath(new URL("e2e/files/classifier.pt2", root));
export const customPath = fileURLToPath(new URL("e2e/files/custom.pt2", root));
export const decoderPath = fileURLToPath(new URL("web/playground/examples/decoder.json.gz", root));
export const llamaPath = fileURLToPath(new URL("e2e/files/llama.json.gz", root));
export const resnetPath = fileURLToPath(new URL("e2e/files/resnet.json.gz", root));
/** A program of an operator that few have. */
export const eigenvaluesPath = fileURLToPath(
  new URL("tests/conformance/data/versions/2.11.0/eig1.pt2", root),
);
export const pairsPath = fileURLToPath(new URL("tests/golden/files/pairs.json", root));

export function bytesOf(path) {
  return new Uint8Array(readFileSync(path));
}

/** Imports src/<name>.ts on its own. */
export async function importSource(name) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
