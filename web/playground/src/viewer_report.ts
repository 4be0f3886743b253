/** The report of an element: loaded when it is asked for. */
import type { PeakShares, RunCosts } from "./engine.js";
import { toSvg, wholePicture } from "./export_picture.js";
import { MemoryProfile } from "./memory_profile.js";
import type { Model } from "./model.js";
import type { Looks, Paint } from "./primitives.js";
import { toHtml } from "./report.js";
import type { Scene } from "./scene.js";

export interface Reported {
  readonly name: string;
  readonly edits: readonly string[];
  readonly model: Model;
  readonly costs: RunCosts;
  readonly shares: PeakShares | null;
  readonly scene: Scene;
  readonly looks: Looks;
  readonly color: (paint: Paint) => string;
}

export function reportOf({ name, edits, model, costs, shares, scene, looks, color }: Reported): Blob {
  const svg = toSvg(wholePicture(scene, looks), scene.bounds, color);
  const profile = new MemoryProfile(model, costs);
  return new Blob([toHtml({ name, edits, model, profile, shares, fits: null, time: null, svg })], {
    type: "text/html",
  });
}
