/** The address of the page, which follows what is shown. */
import { formatHash, type Address } from "./url_state.js";

/** Browsers refuse to change the address often, so it follows once the user pauses. */
const kPause = 250;

export class AddressBar {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private held = false;

  /** The address is that of a link whose file is still to be opened, and stays. */
  hold(hash: string): void {
    this.held = true;
    clearTimeout(this.timer);
    if (location.hash !== hash) window.history.replaceState(null, "", hash);
  }

  /** The address follows what is shown again. */
  release(): void {
    this.held = false;
    clearTimeout(this.timer);
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
    window.history.replaceState(null, "", formatHash(address));
  }
}
