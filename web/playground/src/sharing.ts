/** What leaves the page: the picture as a file, and the link to what is shown. */
import type { Announcer } from "./announcer.js";
import { byId } from "./dom.js";
import { download, toPng, toSvgBlob, wholePicture } from "./export_picture.js";
import type { Selection } from "./model.js";
import type { Notice } from "./notice.js";
import type { Measure } from "./display_list.js";
import type { Scene } from "./scene.js";
import type { Theme } from "./theme.js";

const kCopiedFor = 1600;

/** Saves the whole picture, with everything that is open. */
export async function savePicture(
  scene: Scene,
  selection: Selection | null,
  name: string,
  format: "svg" | "png",
  { measure, theme }: { measure: Measure; theme: Theme },
): Promise<void> {
  const list = wholePicture(scene, selection, measure);
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
