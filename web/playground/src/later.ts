/**
 * A part of the page that is loaded when it is needed: after the first picture, or at its first use. What is asked of it
 * before it is there is done, in order, as soon as it is.
 *
 *     private readonly symbols = new Later(() => import("./symbols_pane.js").then((m) => new m.SymbolsPane(events)), failed, (pane) => pane.show(model));
 *     this.symbols.now?.show(model);       // kept up to date once it is there; `ready` catches up with what was before
 *     this.symbols.use((pane) => pane.open(true));   // loads it
 */
export class Later<Part> {
  private part: Part | null = null;
  private loading: Promise<void> | null = null;
  private waiting: ((part: Part) => void)[] = [];

  constructor(
    private readonly load: () => Promise<Part>,
    private readonly failed: (error: unknown) => void,
    /** Brings the part to what is shown, before anything else is done with it. */
    private readonly ready: (part: Part) => void = () => undefined,
  ) {}

  /** The part, where it is there. */
  get now(): Part | null {
    return this.part;
  }

  /** Now, or as soon as it is loaded; loads nothing. */
  do(action: (part: Part) => void): void {
    if (this.part !== null) action(this.part);
    else this.waiting.push(action);
  }

  /** Now, or as soon as it is loaded, which begins here. */
  use(action: (part: Part) => void): void {
    this.do(action);
    this.start();
  }

  start(): void {
    this.loading ??= this.load().then(
      (part) => {
        this.part = part;
        this.ready(part);
        const { waiting } = this;
        this.waiting = [];
        for (const action of waiting) action(part);
      },
      (error: unknown) => {
        // The network may be there again at the next use.
        this.loading = null;
        this.waiting = [];
        this.failed(error);
      },
    );
  }
}
