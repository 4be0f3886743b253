/**
 * A part of the page that is loaded after the first picture: nobody waits for it to see the graph. What is asked of it
 * before it is there is done, in order, as soon as it is.
 */
export class Later<Part> {
  private part: Part | null = null;
  private loading: Promise<void> | null = null;
  private waiting: ((part: Part) => void)[] = [];

  constructor(
    private readonly load: () => Promise<Part>,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The part, where it is there. */
  get now(): Part | null {
    return this.part;
  }

  do(action: (part: Part) => void): void {
    if (this.part !== null) action(this.part);
    else this.waiting.push(action);
  }

  start(): void {
    this.loading ??= this.load().then((part) => {
      this.part = part;
      const { waiting } = this;
      this.waiting = [];
      for (const action of waiting) action(part);
    }, this.failed);
  }
}
