/** Whether keys of a single letter, digit or sign do something: remembered, on unless they were switched off. */
import { readStorage, writeStorage } from "./theme.js";

const kRemembered = "faketensor.keys";

export function areKeysOn(): boolean {
  return readStorage(kRemembered) !== "off";
}

export function switchKeys(on: boolean): void {
  writeStorage(kRemembered, on ? "on" : "off");
}
