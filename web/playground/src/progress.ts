/** The bar that tells of long work. It comes after a moment only, so that short work does not flicker. */
import { plural } from "./format.js";

const kPatience = 150;

export class Progress {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private sentence = "";

  /** `box` is hidden while nothing is told; it holds the bar, the text and the Cancel button. */
  constructor(
    private readonly box: HTMLElement,
    private readonly bar: HTMLProgressElement,
    private readonly text: HTMLElement,
    private readonly aside: HTMLElement,
    cancelButton: HTMLButtonElement,
    cancel: () => void,
  ) {
    cancelButton.addEventListener("click", cancel);
  }

  get isShown(): boolean {
    return !this.box.hidden;
  }

  begin(sentence: string): void {
    this.aside.textContent = "";
    this.next(sentence);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.box.hidden = false;
    }, kPatience);
  }

  /** The next part of the same work. */
  next(sentence: string): void {
    this.sentence = sentence;
    this.text.textContent = `${sentence}…`;
    this.bar.removeAttribute("value");
  }

  /** What waits for the work. */
  tell(aside: string): void {
    this.aside.textContent = aside;
  }

  update(done: number, total: number, unit?: string): void {
    if (total <= 0) return;
    this.bar.value = done / total;
    const amount = unit === undefined ? "" : ` ${plural(total, unit)}`;
    this.text.textContent = `${this.sentence}${amount}: ${Math.floor((100 * done) / total)} %`;
  }

  end(): void {
    clearTimeout(this.timer);
    this.box.hidden = true;
  }
}
