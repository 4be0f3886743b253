/** The address of the page, which follows what is shown. */
import { formatHash, type Address } from "./url_state.js";

/** Browsers refuse to change the address often, so it follows once the user pauses. */
const kPause = 250;

export class AddressBar {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private held = false;

  /** The address stays: it is that of a link whose file is still to be opened. */
  hold(held: boolean): void {
    this.held = held;
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
