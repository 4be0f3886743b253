/**
 * The inspector pane: everything about what is selected, or about the program where nothing is. Names of other nodes
 * are buttons that select them. What the table knows stands at once; arguments and schema follow from the engine.
 */
import { button, element } from "./dom.js";
import {
  Status,
  ValueKind,
  type GuardInfo,
  type InputInfo,
  type NodeDetail,
  type Problem,
  type WhyStep,
} from "./engine.js";
import { Explanations } from "./explanations.js";
import {
  bytesText,
  contiguity,
  countText,
  dimAt,
  dimsText,
  dtypeGroup,
  dtypeShort,
  moduleShort,
  opShort,
  plainText,
  plural,
  sizesOf,
  stridesOf,
  typeShort,
  valueText,
} from "./format.js";
import type { Comparison } from "./comparison.js";
import type { MemoryProfile } from "./memory_profile.js";
import { sameSelection, type Model, type Selection } from "./model.js";
import { countList, definitions, heading, mono, section } from "./sections.js";

/** What the inspector asks the engine when it is needed. */
export interface Details {
  detail(row: number): Promise<NodeDetail>;
  /** What the shown run relied on. */
  guards(): Promise<GuardInfo[]>;
  /** Where the size of a dimension came from, step by step. */
  why(row: number, dim: number): Promise<WhyStep[]>;
  /** Between which numbers of bytes a storage lies under the ranges that are set; null where none is. */
  bytes(row: number): Promise<readonly [number | null, number | null] | null>;
}

export interface InspectorEvents {
  select(selection: Selection): void;
  toggle(moduleId: number): void;
  /** What the engine knows about what is shown; null where nothing is. */
  details(): Details | null;
}

const kListed = 12;

export class Inspector {
  private ticket = 0;
  private guards: { readonly model: Model; readonly list: Promise<GuardInfo[]> } | null = null;
  /** Set while the guards are to be focused as soon as they are there. */
  private wantsGuards = false;
  private shown: Selection | null = null;
  private model: Model | null = null;
  private profile: MemoryProfile | null = null;
  private comparison: Comparison | null = null;
  private readonly explanations: Explanations;

  constructor(
    private readonly pane: HTMLElement,
    private readonly events: InspectorEvents,
  ) {
    this.explanations = new Explanations(
      (model, row) => this.nameLink(model, row),
      (row, dim) => this.details.why(row, dim),
    );
  }

  show(model: Model, selection: Selection | null, expanded: readonly number[]): void {
    this.ticket++;
    if (this.model?.info !== model.info) this.profile = this.comparison = null;
    this.model = model;
    const isSame = sameSelection(selection, this.shown);
    this.shown = selection;
    if (selection === null) this.showProgram(model);
    else if (selection.kind === "module")
      this.pane.replaceChildren(...this.moduleSections(model, selection.id, expanded), costs());
    else this.showNode(model, selection.row, isSame);
    this.fillCosts();
    if (!isSame) this.pane.scrollTop = 0;
  }

  /** What the run costs, once that is known. */
  showCosts(profile: MemoryProfile | null, comparison: Comparison | null): void {
    this.profile = profile;
    this.comparison = comparison;
    this.fillCosts();
  }

  private fillCosts(): void {
    const { model, profile, comparison, shown, ticket } = this;
    if (model === null || profile === null) return;
    const link = (of: Model, row: number): HTMLElement => this.nameLink(of, row);
    void import("./later_panes.js").then(({ compareSections, costSections }) => {
      const place = this.pane.querySelector(".inspector-costs");
      if (place === null || ticket !== this.ticket) return;
      const compared = comparison === null ? [] : compareSections(comparison, shown);
      place.replaceChildren(...compared, ...costSections(model, profile, shown, link));
    });
  }

  /** Brings the keyboard to the list of guards, once it is there. */
  focusGuards(): void {
    this.wantsGuards = true;
    this.focusWanted();
  }

  private focusWanted(): void {
    const guards = this.pane.querySelector<HTMLElement>(".guards");
    if (!this.wantsGuards || guards === null) return;
    this.wantsGuards = false;
    guards.scrollIntoView({ block: "start" });
    (guards.querySelector("button") ?? this.pane).focus({ preventScroll: true });
  }

  private get details(): Details {
    const details = this.events.details();
    if (details === null) throw new Error("no program is open");
    return details;
  }

  /** A run's guards are asked for once. */
  private guardsOf(model: Model): Promise<GuardInfo[]> {
    if (this.guards?.model !== model) this.guards = { model, list: this.details.guards() };
    return this.guards.list;
  }

  private showProgram(model: Model): void {
    const { ticket } = this;
    const rest = element("div", { class: "inspector-rest" });
    this.pane.replaceChildren(...this.programSections(model), costs(), rest);
    this.guardsOf(model).then(
      (guards) => {
        if (ticket !== this.ticket) return;
        rest.replaceChildren(this.explanations.guardSection(model, "Guards on sizes", guards));
        this.focusWanted();
      },
      () => undefined, // the run was given up meanwhile
    );
  }

  /** `isSame`: only its values are new, so what came from the engine stays until it is replaced. */
  private showNode(model: Model, row: number, isSame: boolean): void {
    const { ticket } = this;
    const before = isSame ? this.pane.querySelector(".inspector-rest") : null;
    const rest = before ?? element("div", { class: "inspector-rest" });
    const { scrollTop } = this.pane;
    this.pane.replaceChildren(...this.nodeSections(model, row), costs(), rest);
    this.pane.scrollTop = scrollTop;
    const fill = (...sections: HTMLElement[]): void => {
      if (ticket === this.ticket) rest.replaceChildren(...sections);
    };
    this.addBytes(row, ticket);
    Promise.all([this.details.detail(row), this.guardsOf(model)]).then(
      ([detail, guards]) => {
        const here = guards.filter((guard) => guard.row === row);
        fill(...this.detailSections(model, row, detail, here));
      },
      () => {
        fill(...this.readSection(model, row));
      },
    );
  }

  /** The storage's bytes under the ranges that symbols are set to. */
  private addBytes(row: number, ticket: number): void {
    this.details.bytes(row).then(
      (bytes) => {
        const place = this.pane.querySelector(".storage");
        if (ticket !== this.ticket || bytes === null || place === null) return;
        place.append(`, ${bytesText(bytes[0] ?? 0)} to ${bytes[1] === null ? "any" : bytesText(bytes[1])}`);
      },
      () => undefined, // the run was given up meanwhile
    );
  }

  private nodeSections(model: Model, row: number): HTMLElement[] {
    const { table } = model;
    const input = model.info.inputs.find((info) => info.node === row) ?? null;
    const op = model.op(row);
    const title = input === null ? opShort(op) : (input.target ?? input.name);
    const subtitle =
      input === null
        ? `${op}  →  ${table.names[row]}`
        : `${input.kind === "user" ? "input" : input.kind} ${input.name}`;
    const sections = [heading(title, subtitle)];
    const problem = model.problemAt(row);
    if (problem !== null) {
      const text = problemText(problem, op);
      sections.push(element("div", { class: `message message-${problem.kind}` }, text));
    } else if (table.status[row] === Status.notReached) {
      sections.push(
        element(
          "div",
          { class: "message message-unknown" },
          "Not reached: it reads a value that is missing.",
        ),
        this.causes(model, row),
      );
    }
    sections.push(section("Value", this.valueRows(model, row, input)));
    const aliases = model.aliasesOf(row);
    if (aliases.length > 0) {
      const owner = aliases[0] < row ? "Same storage as" : "Storage shared with";
      sections.push(section(owner, this.nodeList(model, aliases)));
    }
    return sections;
  }

  /** The failing nodes that a row waits for: the first ones met going upwards. */
  private causes(model: Model, row: number): HTMLElement {
    const found: number[] = [];
    const seen = new Set([row]);
    const waiting = [row];
    for (let at = waiting.pop(); at !== undefined && found.length < kListed; at = waiting.pop()) {
      for (const input of model.inputsOf(at)) {
        const status = model.table.status[input];
        if (seen.has(input) || status === Status.ok) continue;
        seen.add(input);
        if (status === Status.notReached) waiting.push(input);
        else found.push(input);
      }
    }
    return section("Because of", this.nodeList(model, found));
  }

  private valueRows(model: Model, row: number, input: InputInfo | null): HTMLElement {
    const { table } = model;
    const facts: [string, string | Node][] = [];
    if (table.kind[row] !== ValueKind.tensor) return definitions([["kind", valueText(table, row)]]);
    const size = sizesOf(table, row);
    const stride = stridesOf(table, row);
    const dtype = table.dtypes[table.dtype[row]];
    facts.push(["size", mono(dimsText(size))]);
    facts.push([
      "dtype",
      element(
        "span",
        {},
        element("span", { class: `badge dtype-${dtypeGroup(dtype)}` }, dtypeShort(dtype)),
        ` ${dtype}`,
      ),
    ]);
    facts.push(["stride", mono(dimsText(stride))]);
    facts.push(["memory order", contiguity(size, stride)]);
    facts.push(["device", table.devices[table.device[row]]]);
    facts.push(["offset", mono(String(dimAt(table.offset, row, table.expressions)))]);
    if (table.storage[row] >= 0) {
      const bytes = dimAt(table.nbytes, row, table.expressions);
      const text = `#${table.storage[row]}, ${bytesText(bytes)}`;
      facts.push(["storage", element("span", { class: "storage" }, text)]);
    }
    if (input !== null && dimsText(input.size) !== dimsText(size))
      facts.push(["in the file", mono(dimsText(input.size))]);
    return definitions(facts);
  }

  private detailSections(
    model: Model,
    row: number,
    detail: NodeDetail,
    guards: readonly GuardInfo[],
  ): HTMLElement[] {
    const sections: HTMLElement[] = [];
    if (model.table.kind[row] === ValueKind.list || model.table.kind[row] === ValueKind.other) {
      sections.push(section("Content", element("code", { class: "block" }, plainText(detail.value))));
    }
    if (detail.args.length > 0) {
      const list = element("ul", { class: "links arguments" });
      for (const argument of detail.args) {
        const item = element("li", {}, element("span", { class: "argument" }, argument.name), " ");
        if (argument.nodes.length === 1 && argument.text === model.table.names[argument.nodes[0]]) {
          item.append(this.nodeLink(model, argument.nodes[0]));
        } else {
          item.append(element("code", {}, argument.text));
          for (const node of argument.nodes.slice(0, kListed)) item.append(this.nodeLink(model, node));
        }
        list.append(item);
      }
      sections.push(section("Arguments", list));
    }
    if (guards.some(({ follows }) => follows !== true))
      sections.push(this.explanations.guardSection(model, "Guards on sizes here", guards));
    sections.push(...this.explanations.whySection(model, row));
    sections.push(...this.readersSection(model, row));
    if (detail.schema !== "")
      sections.push(section("Schema", element("code", { class: "block" }, detail.schema)));
    sections.push(...this.moduleSection(model, row));
    if (detail.source !== "")
      sections.push(
        section(
          "Source",
          element("pre", { class: "block", tabindex: 0, "aria-label": "Source" }, detail.source),
        ),
      );
    return sections;
  }

  /** What the table tells, without the engine. */
  private readSection(model: Model, row: number): HTMLElement[] {
    const inputs = [...model.inputsOf(row)];
    const reads = inputs.length === 0 ? [] : [section("Reads", this.nodeList(model, inputs))];
    return [...reads, ...this.readersSection(model, row), ...this.moduleSection(model, row)];
  }

  private readersSection(model: Model, row: number): HTMLElement[] {
    const readers = [...model.readersOf(row)];
    return readers.length === 0 ? [] : [section("Read by", this.nodeList(model, readers))];
  }

  private moduleSection(model: Model, row: number): HTMLElement[] {
    const id = model.table.module[row];
    if (id === 0) return [];
    const list = element("ul", { class: "links" });
    for (const at of model.modulePath(id)) list.append(element("li", {}, this.moduleLink(model, at)));
    return [section("Module", list)];
  }

  private moduleSections(model: Model, id: number, expanded: readonly number[]): HTMLElement[] {
    const module = model.module(id);
    const isOpen = expanded.includes(id);
    const facts: [string, string][] = [
      ["type", module.type],
      ["nodes", countText(module.nodes)],
    ];
    const weights = model.info.inputs.filter(
      (input) => input.kind !== "user" && (input.target ?? "").startsWith(`${module.path}.`),
    );
    if (weights.length > 0) {
      facts.push(["parameters", plural(weights.length, "tensor")]);
      facts.push([
        "their bytes",
        bytesText(weights.reduce((sum, input) => sum + Math.max(0, model.table.nbytes[input.node]), 0)),
      ]);
    }
    const twins = model.info.modules.filter(
      (other) => other.hash === module.hash && other.id !== id && other.type === module.type,
    );
    if (twins.length > 0) facts.push(["same structure", plural(twins.length, "other module")]);
    const toggle = button(isOpen ? "Close" : "Open", { class: "primary" }, () => {
      this.events.toggle(id);
    });
    const sections = [
      heading(module.path, typeShort(module.type)),
      element("p", {}, toggle),
      section("Module", definitions(facts)),
    ];
    const counts = this.operatorCounts(model, id);
    if (counts.length > 0) sections.push(section("Operators", countList(counts)));
    const problems = model.problems.filter(
      (problem) => problem.node >= module.first && problem.node <= module.last,
    );
    if (problems.length > 0)
      sections.push(
        section("Problems", this.nodeList(model, [...new Set(problems.map((problem) => problem.node))])),
      );
    return sections;
  }

  /** Operators inside a module with how often each occurs, most frequent first. */
  private operatorCounts(model: Model, id: number): [string, number][] {
    const { first, last } = model.module(id);
    const counts = new Map<string, number>();
    for (let row = first; row <= last; row++) {
      if (model.kindOfInput(row) !== null || !model.modulePath(model.table.module[row]).includes(id))
        continue;
      const op = model.op(row);
      counts.set(op, (counts.get(op) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]).slice(0, kListed);
  }

  private programSections(model: Model): HTMLElement[] {
    const { info } = model;
    const facts: [string, string][] = [
      ["nodes", countText(info.nodes)],
      ["modules", countText(Math.max(0, info.modules.length - 1))],
      ["exported by", `PyTorch ${info.torchVersion}`],
      ["schema", info.schemaVersion],
    ];
    if (model.weights.length > 0) {
      facts.splice(2, 0, [
        "parameters",
        `${countText(model.weights.length)}, ${bytesText(model.weightBytes())}`,
      ]);
    }
    const sections = [
      heading(info.name, typeShort(info.modules[0].type)),
      section("Program", definitions(facts)),
    ];
    if (model.userInputs.length > 0) sections.push(section("Inputs", this.nodeList(model, model.userInputs)));
    const outputs = info.outputs.map((name) => model.findRow(name)).filter((row) => row !== null);
    if (outputs.length > 0) sections.push(section("Outputs", this.nodeList(model, outputs)));
    if (info.unknownOps.length > 0) {
      sections.push(
        section("Operators without a rule", countList(info.unknownOps.map(({ op, count }) => [op, count]))),
      );
    }
    return sections;
  }

  private nodeList(model: Model, rows: readonly number[]): HTMLElement {
    const list = element("ul", { class: "links" });
    for (const row of rows.slice(0, kListed)) list.append(element("li", {}, this.nodeLink(model, row)));
    if (rows.length > kListed)
      list.append(element("li", { class: "quiet" }, `and ${countText(rows.length - kListed)} more`));
    return list;
  }

  private nameLink(model: Model, row: number): HTMLButtonElement {
    const link = button("", { class: "link" }, () => {
      this.events.select({ kind: "node", row });
    });
    link.append(element("span", { class: "link-name" }, model.table.names[row]));
    return link;
  }

  private nodeLink(model: Model, row: number): HTMLElement {
    const { table } = model;
    const dtype = table.kind[row] === ValueKind.tensor ? table.dtypes[table.dtype[row]] : null;
    const link = this.nameLink(model, row);
    if (dtype !== null) {
      link.append(" ", element("span", { class: `badge dtype-${dtypeGroup(dtype)}` }, dtypeShort(dtype)));
      link.append(" ", element("span", { class: "link-shape" }, dimsText(sizesOf(table, row))));
    }
    return link;
  }

  private moduleLink(model: Model, id: number): HTMLElement {
    const module = model.module(id);
    const link = button("", { class: "link", title: module.path }, () => {
      this.events.select({ kind: "module", id });
    });
    link.append(
      element("span", { class: "link-name" }, moduleShort(module.path)),
      " ",
      element("span", { class: "link-shape" }, typeShort(module.type)),
    );
    return link;
  }
}

/** Where the sections about memory and FLOPs go. */
function costs(): HTMLElement {
  return element("div", { class: "inspector-costs" });
}

function problemText(problem: Problem, op: string): string {
  if (problem.kind === "unknown") {
    return `No rule for ${op}: its value is unknown, and so is what depends on it. Everything else is answered.`;
  }
  return problem.class === "" ? problem.message : `${problem.class}: ${problem.message}`;
}
