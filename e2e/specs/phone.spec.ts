import { expect, test, type Playground } from "./page.js";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

/** Taps on the canvas until a box is hit. */
async function tapBox({ page, stage }: Playground): Promise<void> {
  const sheet = page.locator("#sheet");
  for (let y = 0.1; y < 0.8; y += 0.07) {
    const box = await stage.boundingBox();
    if (box === null) throw new Error("the stage has no box");
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height * y);
    const isHit = await sheet.waitFor({ timeout: 300 }).then(
      () => true,
      () => false,
    );
    if (isHit) return;
  }
  throw new Error("no box was hit");
}

test("a phone has every command of the page", async ({ playground, page }) => {
  await playground.open();
  await expect(playground.peak).toBeVisible();
  for (const name of ["Undo", "Redo", "Compare", "Copy link", "Dark theme", "Keys", "Open file"])
    await expect(page.getByRole("button", { name, exact: true })).toBeInViewport();
  await expect(page.getByText("Export", { exact: true })).toBeInViewport();
  await expect(playground.summary).toBeInViewport();
  await expect(playground.search).toBeInViewport();
  await expect(playground.memory).toBeInViewport();
});

test("what fingers press is 44 pixels high", async ({ playground, page }) => {
  await playground.open();
  await expect(playground.peak).toBeVisible();
  const low = await page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        "button, summary, select, input:not([type=file]):not([type=checkbox])",
      ),
    ]
      .filter((pressed) => pressed.offsetParent !== null)
      .map((pressed) => ({
        label: pressed.id || pressed.textContent,
        height: pressed.getBoundingClientRect().height,
      }))
      .filter(({ height }) => height < 43.5),
  );
  expect(low).toEqual([]);
});

test("a tap brings up what was tapped, and from there all of it", async ({ playground, page }) => {
  await playground.open("#example=decoder&open=");
  await expect(playground.peak).toBeVisible();
  await tapBox(playground);
  const sheet = page.getByRole("region", { name: "Selection" });
  await expect(sheet).toContainText(/in|out|nodes/);
  await sheet.getByRole("button", { name: "All details" }).click();
  await expect(playground.inspector).toBeVisible();
  await page.getByRole("button", { name: "Graph", exact: true }).click();
  await sheet.getByRole("button", { name: "Hide" }).click();
  await expect(sheet).toBeHidden();
});

test("the picture stays where it is when its costs are told above it", async ({ playground, page }) => {
  await playground.open("", { engine: false });
  const top = async () => (await playground.stage.boundingBox())?.y ?? NaN;
  const first = await top();
  await expect(playground.fits).toContainText("largest batch");
  expect(await top()).toBe(first);
  // What is said of one program is taken back for the next, and its room kept.
  await page.evaluate(() => {
    const tops = new Set<number>();
    Object.assign(window, { tops });
    const look = () => {
      tops.add(document.querySelector("#stage")?.getBoundingClientRect().top ?? NaN);
      requestAnimationFrame(look);
    };
    look();
  });
  await playground.openFile("classifier.pt2");
  await expect(playground.fits).not.toBeEmpty();
  expect(await page.evaluate(() => [...(window as unknown as { tops: Set<number> }).tops])).toEqual([first]);
});

test("nothing of the page is wider than the phone", async ({ playground, page }) => {
  await playground.open();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});

test.describe("at 400 % zoom", () => {
  test.use({ viewport: { width: 320, height: 256 }, hasTouch: false, isMobile: false });

  test("the page reflows: it scrolls down and not aside, and the graph is there", async ({
    playground,
    page,
  }) => {
    await playground.open();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await playground.stage.scrollIntoViewIfNeeded();
    await expect(playground.stage).toBeInViewport();
    const stage = await playground.stage.boundingBox();
    expect(stage?.height ?? 0).toBeGreaterThan(150);
  });
});
