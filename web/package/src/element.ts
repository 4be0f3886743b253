/**
 * `faketensor/element` defines `<fake-tensor-viewer src="model.pt2">`: the program's values as a table, its problems
 * above it. The engine runs in a worker. Options are attributes: `dims='{"batch": 4}'`, `device`, `dtype`, `target`.
 * A `run` event (detail: the `RemoteRun`) follows each propagation, an `error` event what made it impossible.
 */
import {
  connect,
  dimOf,
  dimsOf,
  Status,
  ValueKind,
  type RemoteFakeTensor,
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

export class FakeTensorViewer extends HTMLElement {
  static readonly observedAttributes = ["src", "dims", "device", "dtype", "target"];

  readonly #root = this.attachShadow({ mode: "open" });
  #running: AbortController | undefined;

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

  async #show(signal: AbortSignal): Promise<void> {
    const source = this.getAttribute("src");
    if (source === null || signal.aborted) return;
    this.#replace(line("p", "Loading…"));
    try {
      const response = await fetch(source, { signal });
      if (!response.ok) throw new Error(`${source}: ${response.status} ${response.statusText}`);
      const blob = await response.blob();
      shared ??= connect();
      const program = await (await shared).open(blob, { name: source, signal });
      const run = await program.propagate({ ...this.#options(), signal });
      this.#draw(run, await run.table());
      this.dispatchEvent(new CustomEvent("run", { detail: run }));
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      const message = error instanceof Error ? error.message : String(error);
      this.#replace(line("p", message, "problem"));
      this.dispatchEvent(new ErrorEvent("error", { error, message }));
    }
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

/** Text goes in as text: names come from untrusted files. */
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
