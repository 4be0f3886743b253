/** The simulated time of a device: a table of operators, a flame chart over modules, and a Chrome trace to save. */
import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { expect, test, type Playground } from "./page.js";

async function opened(playground: Playground, page: Page): Promise<Locator> {
  await playground.open();
  await playground.openFile("llama.json.gz");
  await page.keyboard.press("r");
  const pane = page.getByRole("region", { name: "Profiler" });
  await expect(pane.getByRole("status")).toHaveText(
    /^NVIDIA H100.*: \d+ kernels in [\d.]+ .s, by its roofline$/,
  );
  return pane;
}

test("operators stand by their time on the device, in any order, and lead to a node", async ({
  playground,
  page,
}) => {
  const pane = await opened(playground, page);
  const table = pane.getByRole("region", { name: "Operators by time" });
  const names = async () => (await table.getByRole("rowheader").allInnerTexts()).map((name) => name.trim());
  expect(await names()).toContain("aten::mm");
  await expect(table.getByRole("columnheader", { name: "Device time" })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  await table.getByRole("button", { name: "Operator", exact: true }).click();
  expect(await names()).toEqual([...(await names())].sort((a, b) => a.localeCompare(b)));
  await table.getByRole("button", { name: "aten::silu" }).click();
  await expect(playground.inspector).toContainText("aten::silu.default");
  await expect(table.getByRole("row", { name: /aten::silu/ })).toHaveAttribute("aria-current", "true");
});

test("a bar leads to its node, the selection is marked, and another device has another time", async ({
  playground,
  page,
}) => {
  const pane = await opened(playground, page);
  const chart = pane.getByRole("group", { name: "Flame chart over modules" });
  await chart.getByRole("button", { name: /^silu: / }).click();
  await expect(playground.inspector).toContainText("aten::silu.default");
  await expect(chart.locator("[aria-current]")).toHaveAccessibleName(/^silu: [\d.]+ .s, [\d.]+ %$/);
  await page.keyboard.press("ArrowUp");
  await expect(chart.getByRole("button", { name: /^model\.layers\.0\.mlp\.act_fn: / })).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(chart.locator("[aria-current]")).toHaveAccessibleName(/^model\.layers\.0\.mlp: /);
  await page.keyboard.press("z");
  await expect(pane.getByRole("button", { name: "Whole run" })).toBeEnabled();
  await expect(chart.getByRole("button", { name: /^model\.layers\.1: / })).toHaveCount(0);
  await pane.getByRole("combobox", { name: "Device" }).selectOption("l4");
  await expect(pane.getByRole("status")).toHaveText(
    /^NVIDIA L4.*: \d+ kernels in [\d.]+ .s, by its roofline$/,
  );
  await expect(chart.getByRole("button", { name: /^model\.layers\.1: / })).toHaveCount(1);
});

test("the Chrome trace is saved, and Escape closes the pane", async ({ playground, page }) => {
  const pane = await opened(playground, page);
  const coming = page.waitForEvent("download");
  await pane.getByRole("button", { name: "Chrome trace" }).click();
  const saved = await coming;
  expect(saved.suggestedFilename()).toBe("llama.json.gz.trace.json");
  const trace = JSON.parse(readFileSync(await saved.path(), "utf8")) as { traceEvents: { cat?: string }[] };
  expect(trace.traceEvents.filter(({ cat }) => cat === "kernel").length).toBeGreaterThan(20);
  await page.keyboard.press("Escape");
  await expect(pane).toBeHidden();
});

test("the profiler has no violation that axe knows", async ({ playground, page }) => {
  const pane = await opened(playground, page);
  await pane.getByRole("button", { name: /^silu: / }).click();
  expect(await playground.violations()).toEqual([]);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("table and chart stand below each other, and nothing is wider than the screen", async ({
    playground,
    page,
  }) => {
    const pane = await opened(playground, page);
    const table = await pane.getByRole("region", { name: "Operators by time" }).boundingBox();
    const chart = await pane.getByRole("group", { name: "Flame chart over modules" }).boundingBox();
    expect(chart?.y).toBeGreaterThanOrEqual((table?.y ?? 0) + (table?.height ?? 0));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
