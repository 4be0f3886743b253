/**
 * Which devices the page tells about: the presets of the engine and device files of the user's (`targets/README.md` says
 * what stands in one). Those that are chosen stand in the sentence on top, the first of them gives times. Both are
 * remembered from visit to visit.
 */
import { readStorage, writeStorage } from "./theme.js";

/** A device file that was added: nothing of it leaves the machine. */
export interface AddedDevice {
  readonly name: string;
  readonly yaml: string;
}

const kChosenKey = "faketensor.devices";
const kAddedKey = "faketensor.device-files";
const kFirstChosen = ["rtx4090", "a100-80gb"];
/** More than these make no sentence. */
export const kMostChosen = 4;

export class Devices {
  private names: readonly string[] = readList(kChosenKey, isName) ?? kFirstChosen;
  private files: readonly AddedDevice[] = readList(kAddedKey, isAdded) ?? [];

  get chosen(): readonly string[] {
    return this.names;
  }

  get added(): readonly AddedDevice[] {
    return this.files;
  }

  isChosen(name: string): boolean {
    return this.names.includes(name);
  }

  /** The last one stays: a sentence about no device says nothing. Returns whether it is as wished. */
  choose(name: string, isChosen: boolean): boolean {
    const others = this.names.filter((other) => other !== name);
    if (isChosen ? others.length >= kMostChosen : others.length === 0) return false;
    this.names = isChosen ? [...others, name] : others;
    writeStorage(kChosenKey, JSON.stringify(this.names));
    return true;
  }

  /** Put first among the chosen, in the place of one of the same name. */
  add(device: AddedDevice): void {
    this.files = [...this.files.filter(({ name }) => name !== device.name), device];
    writeStorage(kAddedKey, JSON.stringify(this.files));
    const others = this.names.filter((other) => other !== device.name);
    this.names = [device.name, ...others].slice(0, kMostChosen);
    writeStorage(kChosenKey, JSON.stringify(this.names));
  }

  remove(name: string): void {
    this.files = this.files.filter((file) => file.name !== name);
    writeStorage(kAddedKey, JSON.stringify(this.files));
    const others = this.names.filter((other) => other !== name);
    this.names = others.length > 0 ? others : kFirstChosen;
    writeStorage(kChosenKey, JSON.stringify(this.names));
  }

  /** What the engine takes: the text of a file, or a preset's name. */
  targetOf(name: string): string {
    return this.files.find((file) => file.name === name)?.yaml ?? name;
  }
}

/** `"NVIDIA GeForce RTX 4090 24GB"` as people say it: `"RTX 4090"`; of a card that comes with two sizes, which. */
export function shortTitle(title: string): string {
  const card = title.replace(/^(NVIDIA|AMD)\s+/, "").replace(/^(GeForce|Instinct)\s+/, "");
  const match = /^(.*?),? (\d+) ?GB$/.exec(card);
  if (match === null) return card;
  const [, name, size] = match;
  return name.startsWith("A100") ? `A100 ${size}` : name;
}

function isName(value: unknown): value is string {
  return typeof value === "string";
}

function isAdded(value: unknown): value is AddedDevice {
  const { name, yaml } = (value ?? {}) as Partial<Record<keyof AddedDevice, unknown>>;
  return isName(name) && isName(yaml);
}

/** What was remembered, where it is what it was written as. */
function readList<Item>(key: string, isItem: (value: unknown) => value is Item): Item[] | null {
  try {
    const list: unknown = JSON.parse(readStorage(key) ?? "null");
    return Array.isArray(list) && list.length > 0 && list.every(isItem) ? list : null;
  } catch {
    return null;
  }
}
