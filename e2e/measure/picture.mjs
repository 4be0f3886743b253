/**
 * The picture of the README, taken of build/site: node e2e/measure/picture.mjs FILE [LINK] [PICTURE]
 *
 * FILE is opened as LINK says ("select=linear&set=batch:4", what follows `#file=…&` in the page's address). PICTURE is
 * web/playground/screenshot.png unless it is named.
 */
import path from "node:path";
import { launch, root, serve } from "./site.mjs";

const [file, link = "", picture = path.join(root, "web/playground/screenshot.png")] = process.argv.slice(2);
const { server, url } = await serve(path.join(root, "build/site"));
const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1.5 });
  await page.goto(`${url}#file=${encodeURIComponent(path.basename(file))}&${link}`);
  const shown = (count) =>
    page.waitForFunction((wanted) => performance.getEntriesByName("graph-shown").length >= wanted, count);
  await shown(1);
  await page.setInputFiles("#file", file);
  await shown(2);
  await page.waitForTimeout(1000); // what has changed flashes
  await page.screenshot({ path: picture });
} finally {
  await browser.close();
  server.kill();
}
