import { gzipSync } from "node:zlib";
import { grownDecoder } from "../measure/grow.mjs";
import { expect, file, kDecoder, test, type Playground } from "./page.js";
import { readFileSync } from "node:fs";

test.describe.configure({ timeout: 90_000 });

const kPrograms: [name: string, bytes: () => Buffer][] = [
  ["classifier.pt2", () => readFileSync(file("classifier.pt2"))],
  ["custom.pt2", () => readFileSync(file("custom.pt2"))],
  ["decoder.json.gz", () => readFileSync(file(kDecoder))],
  ["long.json.gz", () => gzipSync(grownDecoder(10_000))],
];

/** Opens all modules to a depth and waits until they are drawn. */
async function openTo(depth: number, { page }: Playground): Promise<void> {
  const button = page.getByRole("button", { name: `Depth ${depth}` });
  if ((await button.getAttribute("aria-pressed")) === "true") return;
  const title = page.locator("#graph-title");
  const before = (await title.textContent()) ?? "";
  await button.click();
  await expect(title).not.toHaveText(before);
}

for (const size of [
  { width: 900, height: 700 },
  { width: 400, height: 800 },
]) {
  test(`the minimap leaves the buttons free at ${size.width} x ${size.height}`, async ({
    playground,
    page,
  }) => {
    await page.setViewportSize(size);
    await playground.open();
    const minimap = await page.locator("#minimap").boundingBox();
    const tools = await page.locator(".graph-tools", { has: page.locator("#depths") }).boundingBox();
    if (minimap === null || tools === null) throw new Error("the minimap or the buttons are not shown");
    const beside = tools.x + tools.width <= minimap.x || minimap.x + minimap.width <= tools.x;
    const above = minimap.y + minimap.height <= tools.y || tools.y + tools.height <= minimap.y;
    expect(beside || above).toBe(true);
  });
}

const kScreens: [string, { width: number; height: number }][] = [
  ["a laptop", { width: 1280, height: 800 }],
  ["a phone", { width: 390, height: 844 }],
];

for (const [screen, size] of kScreens) {
  for (const [name, bytes] of kPrograms) {
    test(`${name} has names in sight at every depth on ${screen}`, async ({ playground, page }) => {
      await page.setViewportSize(size);
      await playground.watchNames();
      await playground.open();
      await playground.openBytes(name, bytes());
      await playground.shown(2);
      expect((await playground.names()).length).toBeGreaterThan(0);
      const depths = await page.getByRole("button", { name: /^Depth \d/ }).count();
      for (let depth = 0; depth < depths; depth++) {
        await openTo(depth, playground);
        expect((await playground.names()).length, `depth ${depth}`).toBeGreaterThan(0);
      }
    });
  }
}
