import { expect, test } from "./page.js";

test("the page has no violation that axe knows", async ({ playground }) => {
  await playground.open("#example=decoder&select=linear&dtype=bfloat16");
  expect(await playground.violations()).toEqual([]);
});

test("nor with a search, an error and the list of problems open", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("classifier.pt2");
  await playground.batch.fill("6");
  await playground.literal.check();
  await expect(page.locator("#problems-count")).toHaveText(/^1 error, \d+ not reached/);
  await playground.search.fill("conv");
  await expect(playground.matches.first()).toBeVisible();
  expect(await playground.violations()).toEqual([]);
});

test("nor with the guards on sizes, and why one is what it is", async ({ playground, page }) => {
  await playground.openGuards();
  expect(await playground.violations()).toEqual([]);
  await page.keyboard.press("Enter");
  await playground.inspector.locator("summary").last().click();
  await expect(playground.inspector).toContainText("an input");
  expect(await playground.violations()).toEqual([]);
});

test("nor in the pane of symbols, free and with guards that do not hold", async ({ playground }) => {
  await playground.openSymbols();
  expect(await playground.violations()).toEqual([]);
  await playground.symbol("s9").fill("16");
  await expect(playground.brokenGuards.first()).toBeVisible();
  expect(await playground.violations()).toEqual([]);
});

test("nor with the table of devices open", async ({ playground, page }) => {
  await playground.open();
  await playground.fits.click();
  await expect(page.getByRole("row", { name: /NVIDIA T4/ })).toContainText(/\d m?s/, { timeout: 20_000 });
  expect(await playground.violations()).toEqual([]);
});

test("nor with assumptions, guesses and decisions", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("llama.json.gz");
  await playground.batch.fill("8");
  await page.getByRole("combobox", { name: /^Device/ }).selectOption("cuda");
  await playground.assumed.click();
  await expect(playground.assumption("arange.device")).toContainText("guess");
  expect(await playground.violations()).toEqual([]);
  await playground
    .assumption("view.0")
    .getByRole("button", { name: /^Keep 2/ })
    .click();
  await expect(playground.assumption("view.0")).toContainText("decided");
  await playground.assumptions
    .getByRole("button", { name: /^and \d+ more/ })
    .first()
    .click();
  expect(await playground.violations()).toEqual([]);
});

test("nor in the dialog of keys", async ({ playground, page }) => {
  await playground.open();
  await page.getByRole("button", { name: "Keys" }).click();
  expect(await playground.violations()).toEqual([]);
});

test("the theme is a switch that is remembered", async ({ playground, page }) => {
  await playground.open();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await page.getByRole("button", { name: "Dark theme" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await playground.shown();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("a narrow window shows one pane at a time", async ({ playground, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await playground.open();
  await expect(playground.stage).toBeVisible();
  await expect(playground.tree).toBeHidden();
  await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Outline" }).click();
  await expect(playground.tree).toBeVisible();
  await expect(playground.stage).toBeHidden();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await playground.search.fill("silu");
  await expect(playground.matches.first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/select=silu/);
  await expect(playground.stage).toBeVisible();
  expect(await playground.violations()).toEqual([]);
});

test("at 400 % zoom nothing lies over the sizes, and the page scrolls to the picture", async ({
  playground,
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await playground.open();
  await expect(page.locator("#minimap")).toBeHidden();
  await playground.stage.scrollIntoViewIfNeeded();
  const stage = await playground.stage.boundingBox();
  expect(stage?.height).toBeGreaterThanOrEqual(200);
  await playground.batch.click();
  await expect(playground.batch).toBeFocused();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(await playground.violations()).toEqual([]);
});
