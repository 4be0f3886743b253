/**
 * The link that the page was asked for, where it belongs to a file: a page cannot open a file by itself, so the link waits
 * until the user opens a file of that name, and is used for the first one only. The next file of that name (every export
 * of a model is called model.pt2) is another program, and has no link.
 */
import { kEmptyAddress, type Address } from "./url_state.js";

export class FileLink {
  private waiting: Address | null = null;

  /** Returns whether the link waits for a file. */
  ask(address: Address): boolean {
    this.waiting = address.file === null ? null : address;
    return this.waiting !== null;
  }

  /** What the link asks of a file that is opened now. */
  addressFor(name: string): Address {
    return this.waiting?.file === name ? this.waiting : kEmptyAddress;
  }

  /** A program is shown as this address asked. */
  used(address: Address): void {
    if (this.waiting === address) this.waiting = null;
  }
}

/** The notice about a link that waits. */
export function waitingSentence({ file }: Address): string {
  return `This link is about ${file ?? ""}, a file that only you have. Open it again to see it as the link says.`;
}
