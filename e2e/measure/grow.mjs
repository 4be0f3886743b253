/**
 * Makes large programs out of the built-in example, by repeating its second decoder block: real exported operators, real
 * module paths, and as many nodes as wanted.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const kExample = new URL("../../web/playground/examples/decoder.json.gz", import.meta.url);

/** The JSON text of a decoder with at least `nodes` nodes. */
export function grownDecoder(nodes) {
  const program = JSON.parse(gunzipSync(readFileSync(kExample)).toString());
  const { graph } = program.graph_module;
  const isBlock = (node) => (node.metadata.nn_module_stack ?? "").includes(",layers.1,");
  const block = graph.nodes.filter(isBlock);
  const before = graph.nodes.slice(0, graph.nodes.indexOf(block[0]));
  const after = graph.nodes.slice(graph.nodes.indexOf(block.at(-1)) + 1);
  const made = new Set(block.flatMap(outputNames));
  const entry = outputNames(before.at(-1))[0];
  const exit = outputNames(block.at(-1))[0];
  const copies = [...block];
  let last = exit;
  for (let index = 2; before.length + copies.length + after.length < nodes; index++) {
    const renamed = (name) => (name === entry ? last : made.has(name) ? `${name}_${index}` : name);
    for (const node of block) {
      const copy = rename(structuredClone(node), renamed);
      copy.name = `${node.name}_${index}`;
      copy.metadata.nn_module_stack = copy.metadata.nn_module_stack.replaceAll("layers.1", `layers.${index}`);
      for (const name of outputNames(node))
        graph.tensor_values[`${name}_${index}`] = graph.tensor_values[name];
      copies.push(copy);
    }
    last = `${exit}_${index}`;
  }
  const rewired = after.map((node) => rename(node, (name) => (name === exit ? last : name)));
  graph.nodes = [...before, ...copies, ...rewired];
  return JSON.stringify(program);
}

function outputNames(node) {
  return node.outputs.flatMap((output) =>
    [output.as_tensor, ...(output.as_tensors ?? [])].filter(Boolean).map(({ name }) => name),
  );
}

/** Renames every value that a node reads or makes. */
function rename(value, renamed, key = "") {
  if (Array.isArray(value)) for (const entry of value) rename(entry, renamed, key);
  else if (value !== null && typeof value === "object") {
    for (const [inner, entry] of Object.entries(value)) {
      if (inner === "name" && (key === "as_tensor" || key === "as_tensors")) value.name = renamed(entry);
      else rename(entry, renamed, inner);
    }
  }
  return value;
}
