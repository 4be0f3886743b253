/** The lines of JavaScript that ask the npm package, in Node, what the page shows: the same file under the same what-ifs. */
import type { WhatIf } from "./state.js";

/** `name`: of the file, which lies where the snippet is run. */
export function npmSnippet(name: string, whatIf: WhatIf): string {
  const options = optionsOf(whatIf);
  const read =
    whatIf.profiles === null
      ? ""
      : `\n  profiles: readFileSync(${JSON.stringify(whatIf.profiles.name)}, "utf8"),`;
  const given = options.map(([key, value]) => `\n  ${key}: ${JSON.stringify(value)},`).join("") + read;
  const ranges = Object.entries(whatIf.dims).filter(([, setting]) => typeof setting !== "number");
  return `// npm install faketensor, then: node ${name}.mjs
import { readFileSync } from "node:fs";
import { load } from "faketensor";

const ft = await load();
const program = ft.open(readFileSync(${JSON.stringify(name)}), { name: ${JSON.stringify(name)} });
${ranges.map(([dim, range]) => `// ${dim} from ${String(range)} on the page: it stays a symbol here.\n`).join("")}const run = program.propagate(${given === "" ? "" : `{${given}\n}`});
for (const output of program.info.outputs) console.log(output, run.value(output));
for (const { name, message } of run.problems) console.log(name, message);
const { peak } = run.memory();
if (peak) console.log(\`peak \${peak.bytes} bytes at \${peak.name}\`);
`;
}

function optionsOf({ dims, dynamic, dtype, device, assume, literal }: WhatIf): [string, unknown][] {
  const numbers = Object.entries(dims).filter(([, setting]) => typeof setting === "number");
  const options: [string, unknown, boolean][] = [
    ["dims", Object.fromEntries(numbers), numbers.length > 0],
    ["dynamic", dynamic, Object.keys(dynamic).length > 0],
    ["dtype", dtype, dtype !== null],
    ["device", device, device !== null],
    ["assume", assume, Object.keys(assume).length > 0],
    ["literal", literal, literal],
  ];
  return options.filter(([, , isGiven]) => isGiven).map(([key, value]) => [key, value]);
}
