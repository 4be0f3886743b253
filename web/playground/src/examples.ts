/** The built-in programs, by the names that an address has for them. What the menu says of them: examples_menu.ts. */
import type { Engine } from "./engine.js";
import { fetchOwn } from "./engine.js";
import type { Source } from "./shown.js";
import { fromText, replay } from "./stored.js";

export const kExamples = ["decoder", "vision", "llm", "diffusion", "training", "error"] as const;
/** The page opens on it; it is stored with its first answers. */
export const kFirstExample = "decoder";

/** The first example where there is none of that name. */
export async function fetchExample(asked: string, engine: () => Promise<Engine>): Promise<Source> {
  const name = kExamples.find((known) => known === asked) ?? kFirstExample;
  const [blob, stored] = await Promise.all([
    fetchOwn(`examples/${name}.json.gz`),
    name === kFirstExample ? fetchStored(name) : null,
  ]);
  const source: Source = { kind: "example", name, blob };
  return stored === null ? source : { ...source, engine: replay(fromText(stored), engine) };
}

/** Without it the engine is waited for. */
async function fetchStored(name: string): Promise<string | null> {
  try {
    return await (await fetchOwn(`examples/${name}.first.json`)).text();
  } catch {
    return null;
  }
}
