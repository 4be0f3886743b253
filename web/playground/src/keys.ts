/** Keys that work anywhere on the page, except while a text is being typed. */
import type { App } from "./app.js";
import { byId } from "./dom.js";

export function listenToKeys(app: App): void {
  window.addEventListener("keydown", (event) => {
    if (byId("keys", HTMLDialogElement).open) return;
    if (handleCommand(app, event) || handlePlain(app, event)) event.preventDefault();
  });
}

/** With Ctrl, or Cmd on a Mac: also while typing in the search field. */
function handleCommand(app: App, event: KeyboardEvent): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const key = event.key.toLowerCase();
  if (key === "k") {
    app.views.focusSearch();
    return true;
  }
  // A field being edited has an undo of its own.
  if (isTyping(event.target)) return false;
  if (key === "z" && !event.shiftKey) app.undo();
  else if ((key === "z" && event.shiftKey) || key === "y") app.redo();
  else return false;
  return true;
}

function handlePlain(app: App, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "Escape") {
    closeTopmost(app, event.target);
    return true;
  }
  if (isTyping(event.target)) return false;
  if (/^[0-9]$/.test(event.key) && !isPressable(event.target)) {
    if (event.key === "0") app.views.canvas.fitWhole();
    else app.expandToDepth(Number(event.key));
    return true;
  }
  const action = actions(app).get(event.key.toLowerCase());
  action?.();
  return action !== undefined;
}

function actions(app: App): Map<string, () => void> {
  return new Map<string, () => void>([
    [
      "/",
      () => {
        app.views.focusSearch();
      },
    ],
    [
      "?",
      () => {
        byId("keys", HTMLDialogElement).showModal();
      },
    ],
    [
      "+",
      () => {
        app.views.canvas.zoom(1.3);
      },
    ],
    [
      "=",
      () => {
        app.views.canvas.zoom(1.3);
      },
    ],
    [
      "-",
      () => {
        app.views.canvas.zoom(1 / 1.3);
      },
    ],
    [
      "f",
      () => {
        app.revealSelection();
      },
    ],
    [
      "b",
      () => {
        app.views.focusSizes();
      },
    ],
    [
      "e",
      () => {
        app.views.firstProblem();
      },
    ],
    [
      "g",
      () => {
        app.views.showGuards();
      },
    ],
    [
      "s",
      () => {
        app.views.showSymbols();
      },
    ],
    [
      "c",
      () => {
        app.views.showChanges();
      },
    ],
    [
      "a",
      () => {
        app.views.showAssumptions();
      },
    ],
    [
      "o",
      () => {
        byId("open", HTMLElement).click();
      },
    ],
  ]);
}

function closeTopmost(app: App, target: EventTarget | null): void {
  const menu = byId("export", HTMLDetailsElement);
  if (menu.open) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  } else if (app.views.closeChanges()) {
    return;
  } else if (target instanceof HTMLInputElement && target.id !== "search") {
    target.blur();
  } else {
    app.stepBack();
  }
}

/** Digits meant for a field that Tab has left already: they would open or close modules. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("button, a, summary") !== null;
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  );
}
