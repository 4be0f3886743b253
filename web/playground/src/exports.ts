/** What is saved as a file: the picture, the table of all nodes, the report. Loaded when the first of them is wanted. */
import type { Looks } from "./primitives.js";
import { fitsOf, kOwnRun } from "./device_question.js";
import { download, toPng, toSvg, toSvgBlob, wholePicture } from "./export_picture.js";
import { nodeRecords, toCsv, toJson } from "./export_table.js";
import { npmSnippet } from "./npm_snippet.js";
import { toHtml } from "./report.js";
import type { Shown } from "./shown.js";
import { editTexts } from "./state.js";
import type { Theme } from "./theme.js";

export type ExportFormat = "svg" | "png" | "csv" | "json" | "html" | "mjs";

export async function saveAs(format: ExportFormat, shown: Shown, looks: Looks, theme: Theme): Promise<void> {
  download(await fileOf(format, shown, looks, theme), `${shown.source.name}.${format}`);
}

/** What a report tells beyond what the page has asked for. */
async function costsOf({ answer, answers, devices }: Shown) {
  const isKnown = devices !== null; // else the program has errors, or is too large
  const [memory, fits] = await Promise.all([
    answer.run.memory(),
    isKnown ? fitsOf(answers, answer, [], kOwnRun) : null,
  ]);
  return { shares: memory.peak ?? null, fits, time: devices?.time ?? null };
}

async function fileOf(format: ExportFormat, shown: Shown, looks: Looks, theme: Theme): Promise<Blob> {
  const { model, profile, scene, source, state } = shown;
  const picture = () => wholePicture(scene, looks);
  switch (format) {
    case "svg":
      return toSvgBlob(picture(), scene.bounds, theme);
    case "png":
      return toPng(scene, looks, theme);
    case "csv":
      return new Blob([toCsv(nodeRecords(model, profile))], { type: "text/csv" });
    case "json":
      return new Blob([toJson(source.name, model, profile)], { type: "application/json" });
    case "mjs":
      return new Blob([npmSnippet(source.name, state.whatIf)], { type: "text/javascript" });
    case "html": {
      const svg = toSvg(picture(), scene.bounds, (paint) => theme.color(paint));
      const costs = await costsOf(shown);
      const edits = editTexts(state.whatIf);
      const report = { name: source.name, edits, model, profile, svg, ...costs };
      return new Blob([toHtml(report)], { type: "text/html" });
    }
  }
}
