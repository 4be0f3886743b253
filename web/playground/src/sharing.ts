/** What leaves the page: the picture as a file, and the link to what is shown. */
import type { Announcer } from "./announcer.js";
import { byId } from "./dom.js";
import { download, toPng, toSvgBlob, wholePicture } from "./export_picture.js";
import type { Looks } from "./display_list.js";
import type { Notice } from "./notice.js";
import type { Scene } from "./scene.js";
import type { Theme } from "./theme.js";

const kCopiedFor = 1600;

/** Saves the whole picture, with everything that is open. */
export async function savePicture(
  scene: Scene,
  looks: Looks,
  name: string,
  format: "svg" | "png",
  theme: Theme,
): Promise<void> {
  const list = wholePicture(scene, looks);
  const picture =
    format === "png" ? await toPng(list, scene.bounds, theme) : toSvgBlob(list, scene.bounds, theme);
  download(picture, `${name}.${format}`);
}

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
