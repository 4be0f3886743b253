/**
 * Does it fit? The end of the sentence on top says it of the chosen devices; a press on it opens a table of all of them: the
 * peak there, the largest batch, how long a step takes and what bounds it. Device files are added here, or dropped on the page.
 */
import { button, byId, element } from "./dom.js";
import { DeviceQuestion, fitsOf, kOwnRun, timeOf, type Basis } from "./device_question.js";
import { Devices, kMostChosen } from "./devices.js";
import type { FitRow, TimeReport } from "./engine.js";
import { fitsSentence, kOptimizers, largestText, optimizerNamed } from "./fits_text.js";
import { bytesText, countText, secondsText } from "./format.js";
import type { Shown } from "./shown.js";

export interface DeviceEvents {
  /** What fits is known, or is not known any more. */
  answered(shown: Shown): void;
  /** A sentence for who cannot see what changed. */
  say(sentence: string): void;
}

const kBytes: readonly (readonly [string, string])[] = [
  ["storages", "bytes of storages"],
  ["", "PyTorch’s caching allocator"],
  ["expandable_segments:True", "the allocator with expandable segments"],
];

const kSteps: readonly (readonly [string, string])[] = [
  ["", "the program’s own run"],
  ...Object.entries(kOptimizers).map(([value, name]) => [value, `a training step with ${name}`] as const),
];

const kBasis =
  "Usable is the device’s memory less what no program is offered and an estimate of CUDA’s context. Each size that is said was propagated. Time is a roofline of the program’s own run: peaks of the maker, the share of them that each kind of kernel reaches, launches; it was never measured. A training step is not the first: forward, the loss (the program’s own, or the mean of squares of its first floating-point output), backward, the optimizer with its states. Not counted: workspaces of libraries, NCCL, other processes.";

const kHeads: readonly (readonly [string, string])[] = [
  ["On top", ""],
  ["Device", ""],
  ["Fits", "verdict"],
  ["Largest", "number"],
  ["Peak", "number"],
  ["Usable", "number"],
  ["Headroom", "number"],
  ["A step", "number"],
  ["Samples/s", "number"],
  ["Bound by", ""],
  ["Memory", "number"],
];

/** Programs of more nodes are not propagated again for every device's time. */
const kLargeProgram = 20_000;

export class DevicePane {
  readonly devices = new Devices();
  private readonly question = new DeviceQuestion(this.devices, (shown) => {
    this.answered(shown);
  });
  private shown: Shown | null = null;
  private basis: Basis = kOwnRun;
  /** Counts what was asked for the table: an answer that another overtook is dropped. */
  private asked = 0;
  private readonly opener = byId("fits", HTMLButtonElement);
  private readonly steps = choice("What is run", kSteps);
  private readonly bytes = choice("Counted as", kBytes);
  private readonly rows = element("tbody");
  private readonly caption = element("p", { class: "quiet", role: "status" });
  private readonly problem = element("p", { class: "device-problem", role: "alert", hidden: true });
  private readonly chooser = element("input", {
    type: "file",
    accept: ".yaml,.yml",
    hidden: true,
    "aria-label": "Device file",
  });
  private readonly dialog = this.build();

  constructor(private readonly events: DeviceEvents) {
    this.opener.addEventListener("click", () => {
      this.open();
    });
    for (const select of [this.steps, this.bytes]) {
      select.addEventListener("change", () => {
        const optimizer = optimizerNamed(this.steps.value);
        this.bytes.disabled = optimizer !== null;
        const allocator = this.bytes.value === "storages" || optimizer !== null ? null : this.bytes.value;
        this.basis = { allocator, optimizer };
        if (this.shown !== null) this.ask(this.shown);
      });
    }
    this.chooser.addEventListener("change", () => {
      const [file] = this.chooser.files ?? [];
      this.chooser.value = "";
      if ((file as File | undefined) !== undefined) void this.addFile(file);
    });
  }

  /** Another run is shown, or another program. */
  ask(shown: Shown): void {
    this.shown = shown;
    this.opener.ariaBusy = "true";
    this.question.ask(shown, this.basis);
    if (this.dialog.open) void this.fill();
  }

  /** What was said is of another program. Its room stays, so that the picture does. */
  forget(): void {
    this.opener.textContent = "";
  }

  open(): void {
    if (this.shown === null) return;
    this.dialog.showModal();
    void this.fill();
  }

  /** The text of a device file. Throws what is wrong with it, with its line. */
  async add(name: string, yaml: string): Promise<void> {
    const { shown } = this;
    if (shown === null) throw new Error(`${name}: open a program first`);
    await fitsOf(shown.answers, shown.answer, [yaml], kOwnRun, true);
    this.devices.add({ name: name.replace(/\.ya?ml$/i, ""), yaml });
    this.ask(shown);
    this.events.say(`${name} is the first of the chosen devices`);
  }

  private async addFile(file: File): Promise<void> {
    try {
      this.problem.hidden = true;
      await this.add(file.name, await file.text());
    } catch (error) {
      this.refuse(error);
    }
  }

  private answered(shown: Shown): void {
    if (this.shown !== shown) return;
    const { devices } = shown;
    this.opener.ariaBusy = null;
    this.forget();
    if (devices !== null) {
      const sentence = fitsSentence(devices.fits, devices.basis.optimizer);
      this.opener.textContent = sentence;
      this.opener.title = `${sentence}. All devices (D)`;
    }
    this.events.answered(shown);
  }

  private refuse(error: unknown): void {
    this.problem.hidden = false;
    this.problem.textContent = error instanceof Error ? error.message : String(error);
  }

  // ---- The table

  private build(): HTMLDialogElement {
    const close = button("Close", { class: "quiet" }, () => {
      this.dialog.close();
    });
    const add = button("Add a device file…", { class: "quiet" }, () => {
      this.chooser.click();
    });
    const heads = kHeads.map(([text, kind]) => element("th", { scope: "col", class: kind }, text));
    const dialog = element(
      "dialog",
      { id: "devices", class: "devices", "aria-labelledby": "devices-title" },
      element("h2", { id: "devices-title" }, "Does it fit?"),
      element(
        "div",
        { class: "device-choices" },
        element("label", {}, "Of ", this.steps),
        element("label", {}, "By ", this.bytes),
      ),
      this.caption,
      this.problem,
      element(
        "div",
        { class: "device-table", tabindex: "0", role: "region", "aria-label": "Devices" },
        element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.rows),
      ),
      element("p", { class: "basis" }, kBasis),
      element("div", { class: "device-buttons" }, add, this.chooser, close),
    );
    document.body.append(dialog);
    return dialog;
  }

  private async fill(): Promise<void> {
    const { shown, basis } = this;
    if (shown === null) return;
    const asked = ++this.asked;
    this.problem.hidden = true;
    this.caption.textContent = "Propagating…";
    const isLarge = shown.model.table.length > kLargeProgram;
    try {
      const presets = await fitsOf(shown.answers, shown.answer, [], basis, isLarge);
      const added = this.devices.added;
      const own =
        added.length === 0
          ? []
          : (
              await fitsOf(
                shown.answers,
                shown.answer,
                added.map(({ yaml }) => yaml),
                basis,
                isLarge,
              )
            ).targets;
      if (asked !== this.asked) return;
      const { over, size } = presets;
      this.caption.textContent = over === undefined ? "" : `${over} is ${countText(size ?? 0)}`;
      const rows = [
        ...own.map((row, i) => this.row(row, added[i].name, true)),
        ...presets.targets.map((row) => this.row(row, row.name, false)),
      ];
      this.rows.replaceChildren(...rows.map(({ made }) => made));
      if (isLarge) return;
      for (const { name, setTime } of rows) {
        const time = await timeOf(shown.answers, shown.answer, this.devices.targetOf(name));
        if (asked !== this.asked) return;
        setTime(time);
      }
    } catch (error) {
      if (asked !== this.asked) return;
      this.caption.textContent = "";
      this.rows.replaceChildren();
      this.refuse(error);
    }
  }

  private row(
    row: FitRow,
    name: string,
    isAdded: boolean,
  ): { made: HTMLElement; name: string; setTime: (time: TimeReport) => void } {
    const { title, memory, usable, peak, fits, headroom } = row;
    const chosen = element("input", { type: "checkbox", "aria-label": `${title} in the sentence` });
    chosen.checked = this.devices.isChosen(name);
    chosen.addEventListener("change", () => {
      if (this.devices.choose(name, chosen.checked)) {
        if (this.shown !== null) this.question.ask(this.shown, this.basis);
        return;
      }
      chosen.checked = !chosen.checked;
      this.refuse(`One to ${kMostChosen} devices stand in the sentence`);
    });
    const remove = button(
      "×",
      { class: "remove", title: "Forget this file", "aria-label": `Forget ${title}` },
      () => {
        this.devices.remove(name);
        if (this.shown !== null) this.ask(this.shown);
      },
    );
    const verdict = peak === undefined ? "errors" : fits ? "yes" : "no";
    const [seconds, rate, bound] = [cell("…", "number"), cell("", "number"), cell("")];
    const made = element(
      "tr",
      { class: `fits-${verdict}` },
      element("td", {}, chosen),
      element("th", { scope: "row" }, title, ...(isAdded ? [" ", remove] : [])),
      cell(verdict, "verdict"),
      cell(largestText(row), "number"),
      cell(peak === undefined ? "" : bytesText(peak), "number"),
      cell(bytesText(usable), "number"),
      cell(headroom === undefined ? "" : signedBytes(headroom), "number"),
      seconds,
      rate,
      bound,
      cell(bytesText(memory), "number"),
    );
    const setTime = (time: TimeReport): void => {
      seconds.textContent = secondsText(time.seconds);
      rate.textContent = time.samples > 0 ? rateText(time.samples / time.seconds) : "";
      bound.textContent = boundOf(time);
    };
    return { made, name, setTime };
  }
}

function boundOf({ bounds }: TimeReport): string {
  const [first] = Object.entries(bounds).sort((a, b) => b[1] - a[1]);
  return first[0];
}

/** With three significant digits. */
function rateText(rate: number): string {
  return rate >= 100 ? countText(Math.round(rate)) : String(Number(rate.toPrecision(3)));
}

function signedBytes(bytes: number): string {
  return bytes < 0 ? `−${bytesText(-bytes)}` : bytesText(bytes);
}

function cell(text: string, kind = ""): HTMLElement {
  return element("td", { class: kind }, text);
}

function choice(label: string, options: readonly (readonly [string, string])[]): HTMLSelectElement {
  const made = element("select", { "aria-label": label });
  for (const [value, text] of options) made.append(element("option", { value }, text));
  return made;
}
