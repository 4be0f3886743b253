/** The link to what is shown, which leaves the page by the clipboard. */
import type { Announcer } from "./announcer.js";
import { byId } from "./dom.js";
import type { Notice } from "./notice.js";

const kCopiedFor = 1600;

/** Copies the address, which says all that is shown. */
export async function copyAddress({
  announcer,
  notice,
}: {
  announcer: Announcer;
  notice: Notice;
}): Promise<void> {
  try {
    await navigator.clipboard.writeText(location.href);
    announcer.say("Link copied");
    byId("share", HTMLElement).textContent = "Copied";
    setTimeout(() => {
      byId("share", HTMLElement).textContent = "Copy link";
    }, kCopiedFor);
  } catch {
    notice.show("This browser did not allow copying; the link is in the address bar.");
  }
}
