/** The dialog of keys and of the search's language. Loaded when it is asked for. */
import { element } from "./dom.js";
import { areKeysOn, switchKeys } from "./key_switch.js";

/** Texts between backquotes are keys or code. */
type Row = readonly [term: string, meaning: string];

const kKeys: readonly Row[] = [
  ["`/`", "Search; `N` or `F3` next match, with `Shift` the one before"],
  ["`Ctrl` `K`", "Every command of the page by its name"],
  ["`↑` `↓` `←` `→`", "Move from node to node; in the outline from line to line, and letters go to a name"],
  ["`Enter`", "Open or close the module"],
  ["`Shift` + arrows", "Move the picture"],
  ["`+` `-`", "Zoom"],
  ["`0`", "Whole graph"],
  ["`F`", "Go to the selection"],
  ["`1` … `9`", "Open modules to this depth"],
  [
    "`B`",
    "Change sizes: `16`, `8k` (8192), `1e3`, or a range `1..64` that makes the size a symbol (`↑` `↓` count, `PgUp` `PgDn` double and halve)",
  ],
  ["`S`", "Symbols: set them to a number or to a range (`2..64`)"],
  ["`A`", "Assumptions: what was taken for part of the example"],
  ["`C`", "What changed, as a list"],
  ["`T`", "Trace: all that the selection depends on, and all that depends on it"],
  ["`P`", "Plumbing: draw sizes, assertions and aliases, or leave them out"],
  ["`X`", "Compare: what is shown becomes A, what you change or open is B"],
  ["`M`", "Memory: fade the graph to what is alive at the peak"],
  ["`D`", "Devices: does it fit, up to which batch, and how long a step takes"],
  ["`R`", "Profiler: a device’s time by operator, and as a flame chart over modules (arrows, `Z` zooms in)"],
  ["`E`", "First problem"],
  ["`G`", "Guards on sizes"],
  ["`O`", "Open a file"],
  ["`Ctrl` `Z`", "Undo; with `Shift` redo"],
  ["`Esc`", "One step back: message, list, search, work that takes long, selection, enclosing module"],
];

const kSearch: readonly Row[] = [
  ["`op:conv`", "operator; `op:mm->add` an add that reads an mm"],
  ["`module:layers.0`", "module path"],
  ["`shape:[*,4096]`", "sizes; `*` is any one, `...` any number"],
  ["`dtype:bf16`", "dtype"],
  ["`bytes>1e9`", "bytes of storage, also `bytes<=16MiB`"],
  ["`/proj\\.\\d/`", "regular expression; `-term` is the opposite of any term"],
  ["`is:error`", "also `is:unknown`, `is:view`, `is:input`"],
];

export function showHelp(): void {
  const dialog = element(
    "dialog",
    { "aria-labelledby": "keys-title" },
    element("h2", { id: "keys-title" }, "Keys"),
    listOf(kKeys, "kbd"),
    keySwitch(),
    element("h3", {}, "In the search field"),
    listOf(kSearch, "code"),
    element("form", { method: "dialog" }, element("button", { class: "primary" }, "Close")),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Keys without Ctrl get in the way of speech input and of slips (WCAG 2.1.4), so they can be switched off. */
function keySwitch(): HTMLElement {
  const input = element("input", { type: "checkbox", role: "switch" });
  input.checked = areKeysOn();
  input.addEventListener("change", () => {
    switchKeys(input.checked);
  });
  return element("label", { class: "keys-switch" }, input, "Keys of a single letter, digit or sign");
}

function listOf(rows: readonly Row[], tag: "kbd" | "code"): HTMLElement {
  const list = element("dl", { class: "keys" });
  for (const [term, meaning] of rows)
    list.append(
      element("div", {}, element("dt", {}, ...marked(term, tag)), element("dd", {}, ...marked(meaning, tag))),
    );
  return list;
}

function marked(text: string, tag: "kbd" | "code"): (Node | string)[] {
  return text.split("`").map((part, i) => (i % 2 === 0 ? part : element(tag, {}, part)));
}
