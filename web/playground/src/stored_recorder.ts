/** Run by the build, in Node: the example as the page opens it, with what the panes ask first. */
import type { Engine } from "./engine.js";
import { openProgram } from "./opening.js";
import { record, toText } from "./stored.js";
import { kEmptyAddress } from "./url_state.js";

export async function recordExample(engine: Engine, name: string, blob: Blob): Promise<string> {
  const { engine: recording, recorded } = record(engine);
  const nothing = (): void => undefined;
  const { answer } = await openProgram(recording, { name, blob }, kEmptyAddress, {
    signal: new AbortController().signal,
    reading: nothing,
    read: nothing,
    propagating: nothing,
  });
  await Promise.all([answer.costs(), answer.guards()]);
  return toText(recorded());
}
