/** The address of the page, which follows what is shown. A decision is an entry of the browser's history, a move is not. */
import { formatHash, type Address } from "./url_state.js";

/** Browsers refuse to change the address often, so it follows once the user pauses. */
const kPause = 250;

/** Of the entries that this page made itself: going back to one changes what is shown, and opens nothing. */
interface OwnEntry {
  readonly own: true;
}

export class AddressBar {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private held = false;
  /** What was decided, as the address says; null: nothing is written yet, or it has just been gone back to. */
  private written: string | null = null;

  /** `gone`: the user goes back or forward, to what the page showed with this address. */
  constructor(gone: (hash: string) => void) {
    window.addEventListener("popstate", ({ state }) => {
      if ((state as OwnEntry | null)?.own !== true) return;
      clearTimeout(this.timer);
      this.written = null;
      gone(location.hash);
    });
  }

  /** The address is that of a link whose file is still to be opened, and stays. */
  hold(hash: string): void {
    this.held = true;
    clearTimeout(this.timer);
    if (location.hash !== hash) window.history.replaceState(null, "", hash);
  }

  /** Another program is shown, which begins where it is: the address follows it. */
  release(): void {
    this.held = false;
    this.written = null;
    clearTimeout(this.timer);
  }

  /** What a program is first shown as is an entry of its own, however soon something is changed. */
  begin(address: Address): void {
    if (!this.held) this.write(address);
  }

  follow(address: () => Address | null): void {
    clearTimeout(this.timer);
    if (this.held) return;
    this.timer = setTimeout(() => {
      const now = address();
      if (now !== null) this.write(now);
    }, kPause);
  }

  write(address: Address): void {
    clearTimeout(this.timer);
    const decided = formatHash({ ...address, camera: null, select: null });
    const entry: OwnEntry = { own: true };
    const hash = formatHash(address);
    if (this.written === null || this.written === decided) window.history.replaceState(entry, "", hash);
    else window.history.pushState(entry, "", hash);
    this.written = decided;
  }
}
