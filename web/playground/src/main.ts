/** Starts the page: the engine, the panes, what the address asks for, and everything that listens to the whole window. */
import { App } from "./app.js";
import { kExports } from "./commands.js";
import { byId } from "./dom.js";
import { EngineLoader } from "./engine.js";
import { EngineBar } from "./engine_bar.js";
import { fetchExample, kFirstExample } from "./examples.js";
import { listRecent, listenToFiles, openFile, recentFile } from "./files.js";
import { listenToKeys } from "./keys.js";
import { FileLink, waitingSentence } from "./links.js";
import { Notice } from "./notice.js";
import { keepOffline } from "./offline_frame.js";
import type { Source } from "./shown.js";
import { kEmptyAddress, parseHash, type Address } from "./url_state.js";

function openExample(app: App, loader: EngineLoader, name: string, address: Address): void {
  fetchExample(name, () => loader.get()).then(
    (source) => showExample(app, source, name, address),
    (error: unknown) => {
      app.views.notice.show(error, {
        label: "Try again",
        run: () => {
          openExample(app, loader, name, address);
        },
      });
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

function listenToExamples(app: App, open: (name: string) => void): void {
  const menu = byId("examples", HTMLDetailsElement);
  menu.addEventListener("toggle", () => {
    if (!menu.open) return;
    import("./examples_menu.js").then(
      ({ showExamples }) => {
        const choose = (name: string): void => {
          menu.open = false;
          open(name);
        };
        showExamples(byId("examples-list", HTMLElement), choose, () => {
          menu.open = false;
          app.showHowTo();
        });
      },
      (error: unknown) => {
        app.views.notice.show(error);
      },
    );
  });
}

/** A link that holds its program. */
async function openCode(app: App, address: Address): Promise<void> {
  const { code, file } = address;
  try {
    const { decodeText } = await import("./source_link.js");
    const text = await decodeText(code ?? "");
    const source = {
      kind: "file",
      name: file ?? "edited.py",
      blob: new Blob([text]),
      text,
      code: code ?? "",
    } as const;
    if (await app.open(source, address)) app.views.showSource();
  } catch (error) {
    app.views.notice.show(error);
  }
}

/** A link that is put into the address of the page, while the page is open. */
function follow(
  app: App,
  link: FileLink,
  hash: string,
  open: (name: string, address: Address) => void,
): void {
  const address = parseHash(hash);
  const { source } = app;
  if (address.code !== null) {
    void openCode(app, address);
  } else if (link.ask(address)) {
    if (source?.kind === "file" && source.name === address.file) void openFile(app, link, source);
    else app.waitFor(hash, waitingSentence(address));
  } else if (address.example !== null) {
    open(address.example, address);
  }
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
  for (const [format] of kExports)
    press(`export-${format}`, () => {
      menu.open = false;
      void app.saveAs(format);
    });
  press("theme", () => {
    app.views.theme.toggle();
  });
  press("source", () => {
    app.views.showSource();
  });
  press("sweep", () => {
    app.showSweep();
  });
  press("help", () => {
    app.showHelp();
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
  window.addEventListener("pointerdown", ({ target }) => {
    for (const open of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
      if (target instanceof Node && !open.contains(target)) open.open = false;
  });
}

async function start(): Promise<void> {
  const { hash } = location;
  const asked = parseHash(hash);
  const wanted = asked.file === null ? (asked.example ?? kFirstExample) : kFirstExample;
  const bar = new EngineBar();
  const loader = new EngineLoader((done, total) => {
    bar.show(done, total);
  });
  const example = fetchExample(wanted, () => loader.get());
  const link = new FileLink();
  const app = new App({
    open: async (file, options) => (await loader.get()).open(file, options),
    operators: async (pattern) => (await loader.get()).operators(pattern),
    passes: async () => (await loader.get()).passes(),
  });
  const load = (): void => {
    loader.get().catch((error: unknown) => {
      if (app.isWorking) return; // who waits for it says so
      app.views.notice.show(error, { label: "Try again", run: load });
    });
  };
  load();
  const open = (name: string, address: Address = kEmptyAddress): void => {
    openExample(app, loader, name, address);
  };
  app.examples = open;
  listenToButtons(app);
  listenToExamples(app, open);
  listenToFiles(app, link);
  listenToKeys(app);
  window.addEventListener("hashchange", ({ newURL }) => {
    const { hash } = new URL(newURL);
    // Entries of the page's own are gone to by the address bar. Where another address stands there, it has followed what is shown since
    // the link was entered.
    const isOwn = (window.history.state as { own?: boolean } | null)?.own === true;
    if (isOwn && location.hash === hash) return;
    follow(app, link, hash, open);
  });
  const known = await recentFile(asked.file);
  void listRecent(app, link);
  if (asked.code !== null) {
    await openCode(app, asked);
  } else if (link.ask(asked) && known !== null) {
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
  await loader.get();
  keepOffline((show) => {
    app.views.notice.show("A newer version of this page is here.", { label: "Reload", run: show });
  });
}

start().catch((error: unknown) => {
  new Notice().show(error, {
    label: "Try again",
    run: () => {
      location.reload();
    },
  });
});
