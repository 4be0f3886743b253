/** Keys that work anywhere on the page, except while a text is being typed. */
import type { App } from "./app.js";
import { commandsOf } from "./commands.js";
import { areKeysOn } from "./key_switch.js";

export function listenToKeys(app: App): void {
  window.addEventListener("keydown", (event) => {
    // Where the keyboard is has had the key already; a dialog has keys of its own.
    if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
    const target = placeOf(event);
    if (handleCommand(app, event, target) || handlePlain(app, event, target)) event.preventDefault();
  });
}

/** Where the keyboard is: not in a dialog that has just closed, whose field has it until the browser draws again. */
function placeOf({ target }: KeyboardEvent): EventTarget | null {
  return target instanceof Element && !target.checkVisibility() ? null : target;
}

/** With Ctrl, or Cmd on a Mac: also while typing in the search field. */
function handleCommand(app: App, event: KeyboardEvent, target: EventTarget | null): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const key = event.key.toLowerCase();
  if (key === "k") {
    app.views.search.focusCommands();
    return true;
  }
  // A field being edited has an undo of its own.
  if (isTyping(target)) return false;
  if (key === "z" && !event.shiftKey) app.undo();
  else if ((key === "z" && event.shiftKey) || key === "y") app.redo();
  else return false;
  return true;
}

function handlePlain(app: App, event: KeyboardEvent, target: EventTarget | null): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "Escape") {
    closeTopmost(app, target);
    return true;
  }
  // In the search field too.
  if (event.key === "F3") {
    app.views.search.step(event.shiftKey ? -1 : 1);
    return true;
  }
  if (isTyping(target) || !areKeysOn()) return false;
  if (/^[0-9]$/.test(event.key) && !isPressable(target)) {
    if (event.key === "0") app.views.canvas.fitWhole();
    else app.expandToDepth(Number(event.key));
    return true;
  }
  const shifted = event.shiftKey ? [event.key] : [];
  const command = [...shifted, event.key.toLowerCase()]
    .map((key) => commandsOf(app).find(({ keys }) => keys.includes(key)))
    .find((found) => found !== undefined);
  command?.run();
  return command !== undefined;
}

function closeTopmost(app: App, target: EventTarget | null): void {
  const menu = document.querySelector<HTMLDetailsElement>("details.menu[open]");
  if (menu !== null) {
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
