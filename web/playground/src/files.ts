/** How files come to the page: by the button, dropped on the window, pasted, or from those that were opened last. */
import type { App } from "./app.js";
import { button, byId } from "./dom.js";
import { isTyping } from "./keys.js";
import type { FileLink } from "./links.js";
import { forgetFiles, recentFiles, rememberFile } from "./recent_files.js";
import type { Source } from "./shown.js";

function fileSource(file: File): Source {
  return { kind: "file", name: file.name, blob: file };
}

/** A program as text, from the clipboard. */
function textSource(text: string): Source {
  return { kind: "file", name: "pasted text", blob: new Blob([text]) };
}

export async function openFile(app: App, link: FileLink, source: Source): Promise<void> {
  const address = link.addressFor(source.name);
  if (!(await app.open(source, address))) return;
  link.used(address);
  await rememberFile(source.name, source.blob);
  await listRecent(app, link);
}

/** The files that were opened last, beside the button that opens one. */
export async function listRecent(app: App, link: FileLink): Promise<void> {
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
export async function recentFile(name: string | null): Promise<Source | null> {
  if (name === null) return null;
  const found = (await recentFiles()).find((file) => file.name === name);
  return found === undefined ? null : { kind: "file", name, blob: found.blob };
}

export function listenToFiles(app: App, link: FileLink): void {
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
  const transfer = (data: DataTransfer | null): void => {
    const text = data?.getData("text/plain").trim() ?? "";
    if (data !== null && data.files.length > 0) take(data.files);
    else if (text !== "") void openFile(app, link, textSource(text));
  };
  listenToDrops(transfer);
  listenToLaunches((file) => {
    take([file]);
  });
  window.addEventListener("paste", (event) => {
    if (!isTyping(event.target)) transfer(event.clipboardData);
  });
}

interface LaunchQueue {
  setConsumer(take: (launch: { readonly files: readonly FileSystemFileHandle[] }) => void): void;
}

/** Files that the system opens with the installed page. */
function listenToLaunches(take: (file: File) => void): void {
  const { launchQueue } = window as { launchQueue?: LaunchQueue };
  launchQueue?.setConsumer(({ files: [handle] }) => {
    if ((handle as FileSystemFileHandle | undefined) !== undefined) void handle.getFile().then(take);
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
