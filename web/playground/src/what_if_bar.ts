/** The row of chips: a field per size, a choice of dtype and device, and the way back to what the file says. */
import { sizeChips, type SizeChip } from "./chips.js";
import { button, element } from "./dom.js";
import type { ProgramInfo } from "./engine.js";
import { dtypeShort } from "./format.js";
import { parseSetting, refusalOf, settingText, type Refused, type Setting } from "./settings.js";
import { readSymbol, SizeField } from "./size_field.js";
import { isAsInFile, kAsInFile, withDims, withDynamic, type WhatIf } from "./state.js";

const kDtypes = ["float32", "bfloat16", "float16", "float64"];
const kDevices = ["cpu", "cuda", "meta"];
/** Programs with many inputs (key-value caches) show so many sizes at first. */
const kShownChips = 8;

interface Field {
  readonly chip: SizeChip;
  readonly field: SizeField;
  readonly box: HTMLElement;
}

export class WhatIfBar {
  private whatIf: WhatIf = kAsInFile;
  private chips: readonly SizeChip[] = [];
  private fields: Field[] = [];
  private readonly dtype = select("dtype", "Dtype of every floating-point value", kDtypes, dtypeShort);
  private readonly device = select("device", "Device of every tensor", kDevices, (name) => name);
  private readonly reset = button(
    "Reset",
    { class: "quiet", title: "Sizes, dtype and device as in the file, nothing decided, no profiles" },
    () => {
      this.changed(kAsInFile);
      // The button is gone now: the keyboard goes on at the beginning of the row, outside of its fields, where Ctrl+Z
      // undoes the step.
      this.bar.focus();
    },
  );

  private readonly literal = switchChip(
    "literal",
    "As FakeTensorProp answers: what nodes hold of the example's sizes, dtypes and devices stays",
    (isOn) => {
      this.changed({ ...this.whatIf, literal: isOn });
    },
  );
  private readonly profiles: ProfileChip;
  private hasUnknown = false;

  constructor(
    private readonly bar: HTMLElement,
    /** Edits of one `group` are one step to undo: the digits of a number typed into a field. */
    private readonly changed: (whatIf: WhatIf, group?: string) => void,
    useProfiles: (file: File) => void,
  ) {
    this.profiles = profileChip(useProfiles, () => {
      this.changed({ ...this.whatIf, profiles: null });
      this.profiles.choose.focus();
    });
    this.dtype.choice.addEventListener("change", () => {
      this.changed({ ...this.whatIf, dtype: this.dtype.choice.value || null });
    });
    this.device.choice.addEventListener("change", () => {
      this.changed({ ...this.whatIf, device: this.device.choice.value || null });
    });
  }

  /** A new program. */
  show(info: ProgramInfo, whatIf: WhatIf): void {
    this.chips = sizeChips(info);
    this.hasUnknown = info.unknownOps.length > 0;
    this.build(this.chips.length <= kShownChips + 1 ? this.chips.length : kShownChips);
    this.update(whatIf);
  }

  private build(shown: number): void {
    this.fields = this.chips.slice(0, shown).map((chip) => this.makeField(chip));
    const parts: Node[] = this.fields.map((field) => field.box);
    if (shown < this.chips.length) {
      parts.push(
        button(`${this.chips.length - shown} more sizes`, { class: "quiet" }, () => {
          this.build(this.chips.length);
          this.update(this.whatIf);
        }),
      );
    }
    parts.push(this.dtype.box, this.device.box, this.profiles.box, this.literal.box, this.reset);
    this.bar.replaceChildren(...parts);
  }

  update(whatIf: WhatIf): void {
    this.whatIf = whatIf;
    for (const { chip, field, box } of this.fields) {
      const edited = settingOf(whatIf, chip);
      const asInFile = chip.isSymbol ? "" : String(chip.original ?? "");
      field.show(edited === undefined ? asInFile : settingText(edited));
      box.classList.toggle("edited", edited !== undefined);
    }
    this.dtype.choice.value = whatIf.dtype ?? "";
    this.device.choice.value = whatIf.device ?? "";
    this.dtype.box.classList.toggle("edited", whatIf.dtype !== null);
    this.device.box.classList.toggle("edited", whatIf.device !== null);
    const profiles = whatIf.profiles?.name ?? "open YAML";
    this.profiles.choose.textContent = profiles;
    this.profiles.choose.setAttribute("aria-label", `Op profiles: ${profiles}`);
    this.profiles.remove.hidden = whatIf.profiles === null;
    this.profiles.box.classList.toggle("edited", whatIf.profiles !== null);
    this.profiles.box.hidden = !this.hasUnknown && whatIf.profiles === null;
    if (this.profiles.box.contains(document.activeElement))
      this.profiles.box.scrollIntoView({ block: "nearest" });
    this.literal.input.checked = whatIf.literal;
    this.literal.box.classList.toggle("edited", whatIf.literal);
    // There is nothing to take literally before something is changed.
    this.literal.box.hidden = !whatIf.literal && !changesModel(whatIf);
    this.reset.hidden = isAsInFile(whatIf);
  }

  focusFirst(): void {
    this.fields[0]?.field.input.select();
  }

  private makeField(chip: SizeChip): Field {
    const field = new SizeField({
      label: `Size of ${chip.label}`,
      placeholder: "free",
      read: (text) => (chip.isSymbol ? readSymbol(text) : readSize(text, chip)),
      changed: (setting, group) => {
        this.changed(withSetting(this.whatIf, chip, setting), group);
      },
      start: chip.original,
    });
    const box = element(
      "label",
      { class: "chip", title: chip.description },
      element("span", {}, chip.label),
      field.input,
      field.refusal,
    );
    return { chip, field, box };
  }
}

/** What a chip is set to: a range makes a size dynamic that is a number in the file. */
function settingOf({ dims, dynamic }: WhatIf, { names: [name] }: SizeChip): Setting | undefined {
  return new Map<string, Setting>(Object.entries({ ...dims, ...dynamic })).get(name);
}

export function withSetting(whatIf: WhatIf, { names, isSymbol }: SizeChip, setting: Setting | null): WhatIf {
  if (isSymbol) return withDims(whatIf, names, setting);
  if (setting !== null && typeof setting !== "number") return withDynamic(whatIf, names, setting);
  return withDims(withDynamic(whatIf, names, null), names, setting);
}

function changesModel({ dims, dynamic, dtype, device }: WhatIf): boolean {
  return Object.keys({ ...dims, ...dynamic }).length > 0 || dtype !== null || device !== null;
}

/** A size that is a number in the file; null where it is that number. */
function readSize(text: string, { original, range: [least] }: SizeChip): Setting | null | Refused {
  const setting = parseSetting(text);
  if (setting === null) return { refused: refusalOf(text) };
  if ((typeof setting === "number" ? setting : setting[0]) < least)
    return { refused: `The least size is ${least}.` };
  return setting === original ? null : setting;
}

interface ProfileChip {
  readonly box: HTMLElement;
  readonly choose: HTMLButtonElement;
  readonly remove: HTMLButtonElement;
}

/** Op profiles answer for operators without a rule; there is nothing to choose where every operator has one. */
function profileChip(use: (file: File) => void, takeBack: () => void): ProfileChip {
  const chooser = element("input", {
    type: "file",
    id: "profiles-file",
    accept: ".yaml,.yml",
    hidden: true,
    "aria-label": "Op profiles",
  });
  chooser.addEventListener("change", () => {
    const file = chooser.files?.[0];
    if (file !== undefined) use(file);
    chooser.value = "";
  });
  const description = "Op profiles (YAML) that answer for the operators without a rule";
  const choose = button("open YAML", { title: description }, () => {
    chooser.click();
  });
  const title = "Answer without these profiles";
  const remove = button("×", { class: "remove", title, "aria-label": "Take the profiles back" }, takeBack);
  const box = element("div", { class: "chip" }, element("span", {}, "profiles"), choose, remove, chooser);
  return { box, choose, remove };
}

function switchChip(
  label: string,
  description: string,
  changed: (isOn: boolean) => void,
): { box: HTMLElement; input: HTMLInputElement } {
  const input = element("input", { type: "checkbox", role: "switch" });
  input.addEventListener("change", () => {
    changed(input.checked);
  });
  const box = element(
    "label",
    { class: "chip chip-switch", title: description },
    input,
    element("span", {}, label),
  );
  return { box, input };
}

function select(
  label: string,
  description: string,
  values: readonly string[],
  text: (value: string) => string,
): { box: HTMLElement; choice: HTMLSelectElement } {
  const choice = element(
    "select",
    { "aria-label": description },
    element("option", { value: "" }, "as in file"),
  );
  for (const value of values) choice.append(element("option", { value }, text(value)));
  return {
    box: element("label", { class: "chip", title: description }, element("span", {}, label), choice),
    choice,
  };
}
