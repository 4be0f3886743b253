/** Every action of the page as a command: what the keys do, and what the search box offers by name (Ctrl-K). */
import type { App } from "./app.js";
import { kColorModes } from "./coloring.js";
import { byId } from "./dom.js";
import { kExamples } from "./examples.js";
import type { ExportFormat } from "./exports.js";

export interface Command {
  readonly label: string;
  /** As `KeyboardEvent.key` has it, in lower case unless Shift makes the difference. */
  readonly keys: readonly string[];
  run(): void;
}

const kZoomStep = 1.3;

/** What is saved as a file, as the menu has it. */
export const kExports: readonly (readonly [ExportFormat, string])[] = [
  ["svg", "the picture as SVG"],
  ["png", "the picture as PNG"],
  ["csv", "all nodes as CSV"],
  ["json", "all nodes as JSON"],
  ["html", "a report as one HTML file"],
  ["mjs", "a snippet for npm"],
];

export function commandsOf(app: App): Command[] {
  return [...viewCommands(app), ...goCommands(app), ...whatIfCommands(app), ...fileCommands(app)];
}

function command(label: string, keys: readonly string[], run: () => void): Command {
  return { label, keys, run };
}

function press(id: string): () => void {
  return () => {
    byId(id, HTMLElement).click();
  };
}

function viewCommands(app: App): Command[] {
  const depths = Array.from({ length: app.deepest + 1 }, (_, depth) =>
    command(depth === 0 ? "Close all modules" : `Open modules to depth ${depth}`, [], () => {
      app.expandToDepth(depth);
    }),
  );
  return [
    command("Whole graph", ["0"], () => {
      app.views.canvas.fitWhole();
    }),
    command("Zoom in", ["+", "="], () => {
      app.views.canvas.zoom(kZoomStep);
    }),
    command("Zoom out", ["-"], () => {
      app.views.canvas.zoom(1 / kZoomStep);
    }),
    ...depths,
    ...kColorModes.map((mode) =>
      command(`Colour by ${mode === "plain" ? "nothing" : mode}`, [], () => {
        app.setColor(mode);
      }),
    ),
    command("Plumbing: draw sizes, assertions and aliases, or leave them out", ["p"], press("plumbing")),
    command("Light or dark", [], () => {
      app.views.theme.toggle();
    }),
    command("Keys and search filters", ["?"], () => {
      app.showHelp();
    }),
  ];
}

function goCommands(app: App): Command[] {
  const { views } = app;
  return [
    command("Search", ["/"], () => {
      views.search.focus();
    }),
    command("Next match", ["n", "F3"], () => {
      views.search.step(1);
    }),
    command("Previous match", ["N"], () => {
      views.search.step(-1);
    }),
    command("Go to the selection", ["f"], () => {
      app.revealSelection();
    }),
    command("Compare: pin what is shown as A, or end the comparison", ["x"], () => {
      app.comparePin();
    }),
    command("All that the selection depends on, and all that depends on it", ["t"], () => {
      views.toggleTrace();
    }),
    command("Memory: fade to what is alive at the peak", ["m"], () => {
      views.fadeToPeak();
    }),
    command("Does it fit? Devices, largest batch, time", ["d"], () => {
      views.showAllDevices();
    }),
    command("Source: the program as text, to read, change and run passes on", ["u"], press("source")),
    command("Profiler: a device’s time by operator and module", ["r"], () => {
      views.toggleProfiler();
    }),
    command("First problem", ["e"], () => {
      views.firstProblem();
    }),
    command("List of problems", [], () => {
      views.openProblems(true);
    }),
    command("Guards on sizes", ["g"], () => {
      views.showGuards();
    }),
    command("What changed", ["c"], () => {
      views.lists.openChanges();
    }),
    command("Assumptions", ["a"], () => {
      views.lists.openAssumptions();
    }),
  ];
}

function whatIfCommands(app: App): Command[] {
  const choices = (id: "dtype" | "device", values: readonly string[]): Command[] =>
    values.map((value) =>
      command(`${id}: ${value}`, [], () => {
        app.changeWhatIf({ [id]: value });
      }),
    );
  return [
    command("Change sizes", ["b"], () => {
      app.views.focusSizes();
    }),
    command("Sweep a size: memory, FLOPs and time over its values", [], () => {
      app.showSweep();
    }),
    command("Set symbols", ["s"], () => {
      app.views.lists.openSymbols();
    }),
    ...choices("dtype", ["float32", "bfloat16", "float16", "float64"]),
    ...choices("device", ["cpu", "cuda", "meta"]),
    command("Reset sizes, dtype and device", [], () => {
      app.resetWhatIf();
    }),
    command("Undo", [], () => {
      app.undo();
    }),
    command("Redo", [], () => {
      app.redo();
    }),
  ];
}

function fileCommands(app: App): Command[] {
  return [
    command("Open a file", ["o"], press("open")),
    ...kExamples.map((name) =>
      command(`Open example: ${name}`, [], () => {
        app.examples(name);
      }),
    ),
    command("How to get a .pt2", [], () => {
      app.showHowTo();
    }),
    command("Copy a link to what is shown", [], () => void app.copyLink()),
    ...kExports.map(([format, what]) => command(`Export ${what}`, [], () => void app.saveAs(format))),
  ];
}
