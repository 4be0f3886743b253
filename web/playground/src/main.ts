/** Starts the page: the engine, the panes, what the address asks for, and everything that listens to the whole window. */
import { App, type Source } from "./app.js";
import { byId } from "./dom.js";
import { startEngine } from "./engine.js";
import { listenToKeys } from "./keys.js";
import { Notice } from "./notice.js";
import { kEmptyAddress, parseHash, type Address } from "./url_state.js";

const kExamples = new Map([["decoder", "examples/decoder.json.gz"]]);
const kFirstExample = "decoder";

async function fetchExample(name: string): Promise<Source> {
  const path = kExamples.get(name) ?? kExamples.get(kFirstExample) ?? "";
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  return { kind: "example", name: kExamples.has(name) ? name : kFirstExample, blob: await response.blob() };
}

function fileSource(file: File): Source {
  return { kind: "file", name: file.name, blob: file };
}

/** What the page was opened with: the example that is shown meanwhile has an address of its own. */
const kAsked = parseHash(location.hash);

/** A file's own part of the address holds only for the file that it names. */
function addressFor(source: Source): Address {
  const addresses = [parseHash(location.hash), kAsked];
  return addresses.find(({ file }) => source.kind === "file" && file === source.name) ?? kEmptyAddress;
}

function listenToFiles(app: App): void {
  const chooser = byId("file", HTMLInputElement);
  const openFile = (file: File | undefined): void => {
    if (file === undefined) return;
    if (/\.ya?ml$/i.test(file.name)) void app.useProfiles(file);
    else void app.open(fileSource(file), addressFor(fileSource(file)));
  };
  byId("open", HTMLElement).addEventListener("click", () => {
    chooser.click();
  });
  chooser.addEventListener("change", () => {
    openFile(chooser.files?.[0]);
    chooser.value = "";
  });
  byId("example", HTMLElement).addEventListener("click", () => {
    openExample(app, kFirstExample, kEmptyAddress);
  });
  listenToDrops(openFile);
}

/** The whole window takes a file. Without preventDefault the browser would leave the page for it. */
function listenToDrops(openFile: (file: File | undefined) => void): void {
  const veil = byId("drop", HTMLElement);
  let inside = 0;
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    inside++;
    veil.hidden = false;
  });
  window.addEventListener("dragleave", (event) => {
    if (!hasFiles(event)) return;
    inside = Math.max(0, inside - 1);
    veil.hidden = inside === 0;
  });
  window.addEventListener("dragover", (event) => {
    event.preventDefault();
  });
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    inside = 0;
    veil.hidden = true;
    openFile(event.dataTransfer?.files[0]);
  });
  window.addEventListener("paste", (event) => {
    openFile(event.clipboardData?.files[0]);
  });
}

function openExample(app: App, name: string, address: Address): void {
  fetchExample(name).then(
    (source) => app.open(source, address),
    (error: unknown) => {
      app.notice.show(error);
    },
  );
}

function listenToButtons(app: App): void {
  const press = (id: string, action: () => void): void => {
    byId(id, HTMLElement).addEventListener("click", action);
  };
  const menu = byId("export", HTMLDetailsElement);
  press("undo", () => {
    app.undo();
  });
  press("redo", () => {
    app.redo();
  });
  press("share", () => void app.copyLink());
  press("export-svg", () => {
    menu.open = false;
    void app.exportPicture("svg");
  });
  press("export-png", () => {
    menu.open = false;
    void app.exportPicture("png");
  });
  press("theme", () => {
    app.toggleTheme();
  });
  press("help", () => {
    byId("keys", HTMLDialogElement).showModal();
  });
  press("zoom-in", () => {
    app.zoom(1.3);
  });
  press("zoom-out", () => {
    app.zoom(1 / 1.3);
  });
  press("fit", () => {
    app.fit();
  });
  const problems = byId("problems-title", HTMLElement);
  press("problems-title", () => {
    app.openProblems(problems.getAttribute("aria-expanded") !== "true");
  });
  window.addEventListener("pointerdown", (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  });
}

async function start(): Promise<void> {
  const asked = kAsked;
  const example = fetchExample(asked.example ?? kFirstExample);
  const engine = startEngine();
  const app = new App({ open: async (file, options) => (await engine).open(file, options) });
  listenToButtons(app);
  listenToFiles(app);
  listenToKeys(app);
  window.addEventListener("hashchange", () => {
    const address = parseHash(location.hash);
    if (address.example !== null) openExample(app, address.example, address);
  });
  if (asked.file !== null)
    app.notice.show(`This link belongs to ${asked.file}: open that file to see what it shows.`);
  await app.open(await example, asked.file === null ? asked : kEmptyAddress);
}

start().catch((error: unknown) => {
  new Notice().show(error);
});
