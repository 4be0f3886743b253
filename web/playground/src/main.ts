/** Starts the page: the engine, the panes, what the address asks for, and everything that listens to the whole window. */
import { App } from "./app.js";
import { kExports } from "./commands.js";
import { button, byId } from "./dom.js";
import { fetchOwn, startEngine } from "./engine.js";
import { isTyping, listenToKeys } from "./keys.js";
import { FileLink, waitingSentence } from "./links.js";
import { Notice } from "./notice.js";
import { forgetFiles, recentFiles, rememberFile } from "./recent_files.js";
import type { Source } from "./shown.js";
import { kEmptyAddress, parseHash, type Address } from "./url_state.js";

const kExamples = new Map([["decoder", "examples/decoder.json.gz"]]);
const kFirstExample = "decoder";

async function fetchExample(name: string): Promise<Source> {
  const path = kExamples.get(name) ?? kExamples.get(kFirstExample) ?? "";
  const blob = await fetchOwn(path);
  return { kind: "example", name: kExamples.has(name) ? name : kFirstExample, blob };
}

function fileSource(file: File): Source {
  return { kind: "file", name: file.name, blob: file };
}

/** A program as text, from the clipboard. */
function textSource(text: string): Source {
  return { kind: "file", name: "pasted text", blob: new Blob([text]) };
}

async function openFile(app: App, link: FileLink, source: Source): Promise<void> {
  const address = link.addressFor(source.name);
  if (!(await app.open(source, address))) return;
  link.used(address);
  await rememberFile(source.name, source.blob);
  await listRecent(app, link);
}

/** The files that were opened last, beside the button that opens one. */
async function listRecent(app: App, link: FileLink): Promise<void> {
  const menu = byId("recent", HTMLDetailsElement);
  const files = await recentFiles();
  menu.hidden = files.length === 0;
  const choose = (action: () => void) => () => {
    menu.open = false;
    action();
  };
  byId("recent-files", HTMLElement).replaceChildren(
    ...files.map(({ name, blob }) =>
      button(
        name,
        {},
        choose(() => void openFile(app, link, { kind: "file", name, blob })),
      ),
    ),
    button(
      "Forget these files",
      { class: "quiet-text" },
      choose(() => void forgetFiles().then(() => listRecent(app, link))),
    ),
  );
}

/** The file of a link, where the browser has kept it. */
async function recentFile(name: string | null): Promise<Source | null> {
  if (name === null) return null;
  const found = (await recentFiles()).find((file) => file.name === name);
  return found === undefined ? null : { kind: "file", name, blob: found.blob };
}

function listenToFiles(app: App, link: FileLink): void {
  const chooser = byId("file", HTMLInputElement);
  const take = (files: Iterable<File>): void => {
    const [file, ...others] = files;
    if ((file as File | undefined) === undefined) return;
    if (/\.ya?ml$/i.test(file.name)) void app.useYaml(file);
    else void openFile(app, link, fileSource(file));
    if (others.length > 0)
      app.views.notice.show(
        `One file at a time: ${file.name} is opened, not ${others.map(({ name }) => name).join(", ")}.`,
      );
  };
  byId("open", HTMLElement).addEventListener("click", () => {
    chooser.click();
  });
  chooser.addEventListener("change", () => {
    take(chooser.files ?? []);
    chooser.value = "";
  });
  byId("example", HTMLElement).addEventListener("click", () => {
    openExample(app, kFirstExample, kEmptyAddress);
  });
  const transfer = (data: DataTransfer | null): void => {
    const text = data?.getData("text/plain").trim() ?? "";
    if (data !== null && data.files.length > 0) take(data.files);
    else if (text !== "") void openFile(app, link, textSource(text));
  };
  listenToDrops(transfer);
  window.addEventListener("paste", (event) => {
    if (!isTyping(event.target)) transfer(event.clipboardData);
  });
}

/** The whole window takes a file. Without preventDefault the browser would leave the page for it. */
function listenToDrops(transfer: (data: DataTransfer | null) => void): void {
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
    transfer(event.dataTransfer);
  });
}

function openExample(app: App, name: string, address: Address): void {
  fetchExample(name).then(
    (source) => showExample(app, source, name, address),
    (error: unknown) => {
      app.views.notice.show(error);
    },
  );
}

/** The first example stands in for one that there is not; what was asked of that means nothing here. */
async function showExample(app: App, source: Source, asked: string, address: Address): Promise<void> {
  if (source.name === asked) {
    await app.open(source, address);
    return;
  }
  await app.open(source, kEmptyAddress);
  app.views.notice.show(`There is no example ${asked}; this is ${source.name}.`);
}

/** A link that is put into the address of the page, while the page is open. */
function follow(app: App, link: FileLink, hash: string): void {
  const address = parseHash(hash);
  const { source } = app;
  if (link.ask(address)) {
    if (source?.kind === "file" && source.name === address.file) void openFile(app, link, source);
    else app.waitFor(hash, waitingSentence(address));
  } else if (address.example !== null) {
    openExample(app, address.example, address);
  }
}

function listenToButtons(app: App): void {
  const press = (id: string, action: () => void): void => {
    byId(id, HTMLElement).addEventListener("click", action);
  };
  const menu = byId("export", HTMLDetailsElement);
  const recent = byId("recent", HTMLDetailsElement);
  press("undo", () => {
    app.undo();
  });
  press("redo", () => {
    app.redo();
  });
  press("share", () => void app.copyLink());
  for (const [format] of kExports)
    press(`export-${format}`, () => {
      menu.open = false;
      void app.saveAs(format);
    });
  press("theme", () => {
    app.views.theme.toggle();
  });
  press("help", () => {
    byId("keys", HTMLDialogElement).showModal();
  });
  press("zoom-in", () => {
    app.views.canvas.zoom(1.3);
  });
  press("zoom-out", () => {
    app.views.canvas.zoom(1 / 1.3);
  });
  press("fit", () => {
    app.views.canvas.fitWhole();
  });
  const problems = byId("problems-title", HTMLElement);
  press("problems-title", () => {
    app.views.openProblems(problems.getAttribute("aria-expanded") !== "true");
  });
  window.addEventListener("pointerdown", (event) => {
    for (const open of [menu, recent])
      if (event.target instanceof Node && !open.contains(event.target)) open.open = false;
  });
}

async function start(): Promise<void> {
  const { hash } = location;
  const asked = parseHash(hash);
  const wanted = asked.file === null ? (asked.example ?? kFirstExample) : kFirstExample;
  const example = fetchExample(wanted);
  const link = new FileLink();
  const engine = startEngine();
  const app = new App({ open: async (file, options) => (await engine).open(file, options) });
  listenToButtons(app);
  listenToFiles(app, link);
  listenToKeys(app);
  window.addEventListener("hashchange", ({ newURL }) => {
    // Entries of the page's own are gone to by the address bar.
    if ((window.history.state as { own?: boolean } | null)?.own === true) return;
    // The page's own address may have followed what is shown since.
    follow(app, link, new URL(newURL).hash);
  });
  const known = await recentFile(asked.file);
  void listRecent(app, link);
  if (link.ask(asked) && known !== null) {
    if (!app.isUsed) await openFile(app, link, known);
  } else if (link.ask(asked)) {
    app.waitFor(hash, waitingSentence(asked));
    const source = await example;
    if (!app.isUsed) await app.open(source, kEmptyAddress, { standsIn: true });
  } else {
    const source = await example;
    // A file that the user opened before the network answered stays.
    if (!app.isUsed) await showExample(app, source, wanted, asked);
  }
}

start().catch((error: unknown) => {
  new Notice().show(error);
});
