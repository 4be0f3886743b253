/**
 * `<fake-tensor-viewer>`: the page's picture of a program as an element for other pages (`faketensor/element`; the package's
 * README describes it). Everything is inside of its shadow tree, styles too, by constructed style sheets: a page's policy
 * needs to allow no style for it. One engine in a worker serves all elements of a page.
 */
import {
  connect,
  type PropagateOptions,
  type RemoteFakeTensor,
  type RemoteProgram,
  type RemoteRun,
} from "faketensor/worker";
import { CanvasView } from "./canvas_view.js";
import { button, element } from "./dom.js";
import { chooseExpanded } from "./expansion.js";
import { plural } from "./format.js";
import { Model, sameSelection, type Selection } from "./model.js";
import { makeMeasure } from "./painter.js";
import type { Paint } from "./primitives.js";
import { Scene } from "./scene.js";
import { toggled } from "./state.js";
import { ElementPalette } from "./theme.js";
import { kViewerStyle } from "./viewer_style.js";

/** What the element can be given as its program. */
export type ViewerGraph = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;

interface Shown {
  readonly name: string;
  readonly program: RemoteProgram;
  readonly run: RemoteRun;
  readonly model: Model;
  scene: Scene;
}

const kZoomStep = 1.3;
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
  static readonly observedAttributes = ["src", "dims", "dtype", "device", "target", "theme"];

  readonly #stage = element("div", {
    class: "stage",
    part: "stage",
    role: "application",
    tabindex: 0,
    "aria-label": "Graph of a program",
  });
  readonly #canvas = element("canvas", { "aria-hidden": "true" });
  readonly #message = element("p", { class: "message", part: "message", role: "alert", hidden: true });
  readonly #live = element("p", { class: "live", role: "status" });
  readonly #palette = new ElementPalette(this);
  #view: CanvasView | null = null;
  #graph: ViewerGraph | null = null;
  #running: AbortController | undefined;
  #shown: Shown | null = null;
  #expanded: readonly number[] = [];
  #selection: Selection | null = null;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(kViewerStyle);
    root.adoptedStyleSheets = [sheet];
    this.#stage.append(this.#canvas);
    const zoom = (factor: number) => () => this.#view?.zoom(factor);
    const tools = element(
      "div",
      { class: "tools", part: "tools", role: "group", "aria-label": "View" },
      button("−", { "aria-label": "Zoom out" }, zoom(1 / kZoomStep)),
      button("+", { "aria-label": "Zoom in" }, zoom(kZoomStep)),
      button("Whole graph", {}, () => this.#view?.fitWhole()),
    );
    root.append(this.#stage, tools, this.#message, this.#live);
  }

  // ---- What is wanted

  /** The program itself, instead of {@link src}: a file, bytes, or the text of ExportedProgram JSON. */
  get graph(): ViewerGraph | null {
    return this.#graph;
  }
  set graph(graph: ViewerGraph | null) {
    this.#graph = graph;
    this.#schedule();
  }

  get src(): string | null {
    return this.getAttribute("src");
  }
  set src(src: string | null) {
    this.#reflect("src", src);
  }

  /** Sizes by name, as `PropagateOptions.dims` has them; the attribute is JSON. */
  get dims(): Readonly<Record<string, number>> {
    return JSON.parse(this.getAttribute("dims") ?? "{}") as Record<string, number>;
  }
  set dims(dims: Readonly<Record<string, number>> | null) {
    this.#reflect("dims", dims === null ? null : JSON.stringify(dims));
  }

  get dtype(): string | null {
    return this.getAttribute("dtype");
  }
  set dtype(dtype: string | null) {
    this.#reflect("dtype", dtype);
  }

  get device(): string | null {
    return this.getAttribute("device");
  }
  set device(device: string | null) {
    this.#reflect("device", device);
  }

  get target(): string | null {
    return this.getAttribute("target");
  }
  set target(target: string | null) {
    this.#reflect("target", target);
  }

  #reflect(name: string, value: string | null): void {
    if (value === null) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }

  connectedCallback(): void {
    this.#view ??= new CanvasView(this.#stage, this.#canvas, this.#palette, makeMeasure(), {
      select: (selection, reveal) => {
        this.#select(selection, reveal);
      },
      toggle: (module) => void this.#toggle(module),
      moved: () => undefined,
      hovered: () => undefined,
      painted: () => undefined,
    });
    this.#palette.changed = () => this.#view?.redraw();
    this.#schedule();
  }

  disconnectedCallback(): void {
    this.#running?.abort();
    this.#release();
  }

  attributeChangedCallback(name: string): void {
    if (name === "theme") this.#palette.forget();
    else this.#schedule();
  }

  // ---- What can be asked

  /** Selects a node by its name, or a module by its path after `/`, opens what is around it and brings it into view. */
  select(name: string | null): boolean {
    const { model } = this.#shown ?? {};
    if (name === null || model === undefined) {
      this.#select(null, false);
      return name === null;
    }
    const module = name.startsWith("/") ? model.findModule(name.slice(1)) : null;
    const row = model.findRow(name);
    const found: Selection | null =
      module !== null ? { kind: "module", id: module } : row !== null ? { kind: "node", row } : null;
    if (found === null) return false;
    const inside = model.enclosing(found);
    const around = inside?.kind === "module" ? model.modulePath(inside.id) : [];
    const expanded = [...new Set([...this.#expanded, ...around])].sort((a, b) => a - b);
    void this.#open(expanded).then(() => {
      this.#select(found, true);
    });
    return true;
  }

  /** The page's report on what is shown, a single HTML file without scripts. Rejects where nothing is shown. */
  async exportReport(): Promise<Blob> {
    const shown = this.#shown;
    if (shown === null) throw new Error("nothing is shown");
    const { model, scene, run, name } = shown;
    const [{ reportOf }, costs, memory] = await Promise.all([
      import("./viewer_report.js"),
      run.costs({}),
      run.memory(),
    ]);
    const shares = memory.peak ?? null;
    const edits = [
      ...Object.entries(this.dims).map(([dim, size]) => `${dim} ${size}`),
      ...[this.dtype, this.device].filter((choice) => choice !== null),
    ];
    const color = (paint: Paint): string => this.#palette.color(paint);
    return reportOf({ name, edits, model, costs, shares, scene, looks: this.#looks, color });
  }

  get #looks(): CanvasView["looks"] {
    if (this.#view === null) throw new Error("the element is in no page");
    return this.#view.looks;
  }

  // ---- Showing

  /** Properties that are set together are read together. */
  #schedule(): void {
    this.#running?.abort();
    if (!this.isConnected) return;
    const running = new AbortController();
    this.#running = running;
    queueMicrotask(() => void this.#show(running.signal));
  }

  /** Frees what was shown. A failure of that concerns nobody. */
  #release(): void {
    const shown = this.#shown;
    this.#shown = null;
    for (const resource of [shown?.run, shown?.program]) resource?.dispose().catch(() => undefined);
  }

  async #show(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    if (this.#graph === null && this.src === null) {
      this.#release();
      this.#canvas.hidden = true;
      return;
    }
    if (this.#shown === null) this.#tell("Loading…");
    try {
      await this.#openProgram(signal);
    } catch (error) {
      if (isAborted(signal)) return; // properties have changed meanwhile, or the element has gone
      const message = error instanceof Error ? error.message : String(error);
      this.#release();
      this.#canvas.hidden = true;
      this.#tell(message);
      this.dispatchEvent(new ErrorEvent("error", { error, message }));
    }
  }

  async #openProgram(signal: AbortSignal): Promise<void> {
    const options: PropagateOptions = { dims: this.dims, signal };
    for (const name of ["dtype", "device", "target"] as const) {
      const value = this.getAttribute(name);
      if (value !== null) options[name] = value;
    }
    const { blob, name } = await this.#source(signal);
    const ft = await sharedEngine();
    const made: (RemoteProgram | RemoteRun)[] = [];
    try {
      const program = await ft.open(blob, { name, signal, sections: true, bodies: true });
      made.push(program);
      const run = await program.propagate(options);
      made.push(run);
      const model = new Model(program.info, await run.table({}), run.problems, run.milliseconds);
      const isSame = this.#shown?.name === name && this.#shown.model.info.nodes === model.info.nodes;
      const expanded = isSame ? this.#expanded : chooseExpanded(program.info.modules);
      const layout = await program.layout({ expanded, plumbing: false });
      signal.throwIfAborted();
      this.#release();
      this.#expanded = expanded;
      this.#shown = { name, program, run, model, scene: new Scene(model, layout, expanded) };
      made.length = 0;
      this.#draw(this.#shown, !isSame);
    } finally {
      for (const resource of made.reverse()) resource.dispose().catch(() => undefined);
    }
  }

  async #source(signal: AbortSignal): Promise<{ blob: Blob; name: string }> {
    const graph = this.#graph;
    if (graph !== null)
      return {
        blob: graph instanceof Blob ? graph : new Blob([graph]),
        name: graph instanceof File ? graph.name : "graph",
      };
    const source = this.src ?? "";
    const response = await fetch(source, { signal });
    if (!response.ok) throw new Error(`${source}: ${response.status} ${response.statusText}`);
    return { blob: await response.blob(), name: source };
  }

  #draw({ model, scene, run, name }: Shown, fits: boolean): void {
    this.#canvas.hidden = false;
    const { problems } = model;
    const [first] = problems;
    this.#tell(
      problems.length === 0
        ? null
        : `${plural(problems.length, "problem")}: ${first.name}: ${first.class} ${first.message}`,
    );
    this.#stage.setAttribute("aria-label", `Graph of ${name}: ${plural(model.table.length, "value")}`);
    this.#view?.show(scene, fits);
    if (fits) this.#selection = null;
    this.#view?.select(this.#selection);
    this.dispatchEvent(new CustomEvent("propagated", { detail: { run, problems } }));
  }

  #tell(message: string | null): void {
    this.#message.hidden = message === null;
    this.#message.textContent = message;
  }

  #select(selection: Selection | null, reveal: boolean): void {
    const shown = this.#shown;
    if (shown === null || sameSelection(selection, this.#selection)) return;
    this.#selection = selection;
    this.#view?.select(selection);
    if (selection !== null && reveal) this.#view?.reveal(shown.scene.placeOf(selection));
    this.#live.textContent = selection === null ? "" : shown.model.describe(selection);
    const detail = selection === null ? null : detailOf(shown.model, selection);
    this.dispatchEvent(new CustomEvent("nodeselect", { detail }));
  }

  async #toggle(module: number): Promise<void> {
    const before = this.#shown?.scene;
    await this.#open(toggled(this.#expanded, module));
    const after = this.#shown?.scene;
    if (before !== undefined && after !== undefined && after !== before) {
      this.#view?.keepCorner(before, after, { kind: "module", id: module });
      this.#view?.redraw();
    }
  }

  async #open(expanded: readonly number[]): Promise<void> {
    const shown = this.#shown;
    if (shown === null || expanded.join() === this.#expanded.join()) return;
    this.#expanded = expanded;
    const layout = await shown.program.layout({ expanded, plumbing: false });
    if (this.#shown !== shown || this.#expanded !== expanded) return;
    shown.scene = new Scene(shown.model, layout, expanded);
    this.#view?.show(shown.scene, false);
  }
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** What a `nodeselect` event tells. */
function detailOf(
  model: Model,
  selection: Selection,
): { kind: string; name: string; op?: string; row?: number } {
  if (selection.kind === "module") return { kind: "module", name: model.module(selection.id).path };
  const { row } = selection;
  return { kind: "node", name: model.table.names[row], op: model.op(row), row };
}
