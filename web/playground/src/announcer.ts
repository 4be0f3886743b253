/** The live region: one sentence at a time for screen readers, replaced by the next. */
export class Announcer {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly region: HTMLElement) {}

  /** Waits a moment, so that of several sentences in a row only the last is read. */
  say(sentence: string): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.region.textContent = sentence;
    }, 120);
  }
}
