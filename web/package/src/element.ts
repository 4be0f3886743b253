/**
 * `faketensor/element` defines `<fake-tensor-viewer src="model.pt2">`: the program's values as a table, its problems
 * above it. The engine runs in a worker. Options are attributes: `dims='{"batch": 4}'`, `device`, `dtype`, `target`.
 * A `run` event (detail: the `RemoteRun`, good until the attributes change or the element is removed) follows each
 * propagation, an `error` event what made it impossible.
 */
import {
  connect,
  dimOf,
  dimsOf,
  Status,
  ValueKind,
  type RemoteFakeTensor,
  type RemoteProgram,
  type RemoteRun,
} from "./worker.js";
import type { Problem, PropagateOptions, Table } from "./types.js";

/** Rows beyond this are counted, not shown: a plain table of more is no use and slow. */
const shownRows = 2000;

const style = `
  :host { display: block; overflow: auto; font: 13px/1.5 system-ui, sans-serif; }
  table { border-collapse: collapse; }
  th, td { padding: 2px 12px 2px 0; text-align: start; white-space: nowrap; font-family: ui-monospace, monospace; }
  th { position: sticky; top: 0; background: Canvas; }
  [part~="problem"] { color: light-dark(#a31515, #ff9c94); }
`;

let shared: Promise<RemoteFakeTensor> | undefined;

/** The engine of all elements of the page. One that could not be loaded is tried again by the next. */
async function sharedEngine(): Promise<RemoteFakeTensor> {
  const engine = (shared ??= connect());
  try {
    return await engine;
  } catch (error) {
    if (shared === engine) shared = undefined;
    throw error;
  }
}

export class FakeTensorViewer extends HTMLElement {
  static readonly observedAttributes = ["src", "dims", "device", "dtype", "target"];

  readonly #root = this.attachShadow({ mode: "open" });
  #running: AbortController | undefined;
  /** What is shown. */
  #shown: (RemoteProgram | RemoteRun)[] = [];

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    this.#root.adoptedStyleSheets = [sheet];
  }

  connectedCallback(): void {
    this.#schedule();
  }

  disconnectedCallback(): void {
    this.#running?.abort();
    this.#release();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#schedule();
  }

  /** Attributes that are set together are read together. */
  #schedule(): void {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    queueMicrotask(() => void this.#show(running.signal));
  }

  /** Frees what was shown. A failure of that concerns nobody. */
  #release(): void {
    for (const resource of this.#shown.splice(0)) resource.dispose().catch(() => undefined);
  }

  async #show(signal: AbortSignal): Promise<void> {
    const source = this.getAttribute("src");
    if (signal.aborted) return;
    this.#release();
    if (source === null) {
      this.#replace();
      return;
    }
    this.#replace(line("p", "Loading…"));
    try {
      await this.#open(source, signal);
    } catch (error) {
      if (isAborted(signal)) return; // attributes have changed meanwhile, or the element has gone
      const message = error instanceof Error ? error.message : String(error);
      this.#replace(line("p", message, "problem"));
      this.dispatchEvent(new ErrorEvent("error", { error, message }));
    }
  }

  async #open(source: string, signal: AbortSignal): Promise<void> {
    const response = await fetch(source, { signal });
    if (!response.ok) throw new Error(`${source}: ${response.status} ${response.statusText}`);
    const blob = await response.blob();
    const ft = await sharedEngine();
    const program = await this.#keep(ft.open(blob, { name: source, signal }), signal);
    const run = await this.#keep(program.propagate({ ...this.#options(), signal }), signal);
    const table = await run.table();
    signal.throwIfAborted();
    this.#draw(run, table);
    this.dispatchEvent(new CustomEvent("run", { detail: run }));
  }

  /** What was made is freed when something else is to be shown, at once where that is so already. */
  async #keep<T extends RemoteProgram | RemoteRun>(made: Promise<T>, signal: AbortSignal): Promise<T> {
    const resource = await made;
    if (signal.aborted) resource.dispose().catch(() => undefined);
    signal.throwIfAborted();
    this.#shown.push(resource);
    return resource;
  }

  #options(): PropagateOptions {
    const options: PropagateOptions = {};
    const dims = this.getAttribute("dims");
    if (dims !== null) options.dims = JSON.parse(dims) as Record<string, number>;
    for (const name of ["device", "dtype", "target"] as const) {
      const value = this.getAttribute(name);
      if (value !== null) options[name] = value;
    }
    return options;
  }

  #draw(run: RemoteRun, table: Table): void {
    const more = table.length - shownRows;
    this.#replace(
      problemList(run.problems),
      valueTable(table),
      ...(more > 0 ? [line("p", `and ${more} more rows`)] : []),
    );
  }

  #replace(...content: Node[]): void {
    this.#root.replaceChildren(...content);
  }
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function problemList(problems: readonly Problem[]): HTMLElement {
  const list = document.createElement("ul");
  list.setAttribute("part", "problems");
  for (const problem of problems) {
    list.append(line("li", `${problem.name}: ${problem.class}: ${problem.message}`, "problem"));
  }
  return list;
}

function valueTable(table: Table): HTMLElement {
  const element = document.createElement("table");
  element.setAttribute("part", "table");
  const head = element.createTHead().insertRow();
  for (const title of ["node", "operator", "dtype", "size", "stride", "device", "bytes"]) {
    const cell = line("th", title);
    cell.setAttribute("scope", "col");
    head.append(cell);
  }
  const body = element.createTBody();
  for (let row = 0; row < Math.min(table.length, shownRows); row++) {
    const cells = body.insertRow();
    for (const text of rowTexts(table, row)) cells.append(line("td", text));
  }
  return element;
}

function rowTexts(table: Table, row: number): string[] {
  const name = table.names[row] ?? "";
  const op = table.ops[table.op[row] ?? 0] ?? "";
  if (table.kind[row] !== ValueKind.tensor)
    return [name, op, table.status[row] === Status.ok ? "" : "unknown"];
  return [
    name,
    op,
    table.dtypes[table.dtype[row] ?? 0] ?? "",
    `[${dimsOf(table, row).join(", ")}]`,
    `[${dimsOf(table, row, "stride").join(", ")}]`,
    table.devices[table.device[row] ?? 0] ?? "",
    String(dimOf(table, table.nbytes[row] ?? 0)),
  ];
}

/** Only text nodes: names come from untrusted files. */
function line(tag: string, text: string, part?: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  if (part !== undefined) element.setAttribute("part", part);
  return element;
}

customElements.define("fake-tensor-viewer", FakeTensorViewer);

declare global {
  interface HTMLElementTagNameMap {
    "fake-tensor-viewer": FakeTensorViewer;
  }
}
