import { expect, kPairs, test } from "./page.js";

test("lists each symbol with where it stands, its hint and its range", async ({ playground, page }) => {
  await playground.openSymbols();
  const rows = page.getByRole("table", { name: /^Symbols/ }).getByRole("row");
  await expect(rows.nth(1)).toContainText("s31mask dim 062..512");
  await expect(rows.nth(2)).toContainText("s9x dim 18only 8");
  await expect(rows.nth(3)).toContainText("u0masked_select dim 0known when it runs");
  await page.getByRole("button", { name: "x dim 1" }).click();
  await expect(playground.inspector).toContainText("input x");
});

test("a number is followed without propagating, in labels, sizes and bytes", async ({ playground, page }) => {
  await playground.openSymbols();
  await page.keyboard.type("6");
  await expect(playground.row(/^reshape/)).toContainText("[6, 2, 8]");
  await expect(playground.summary).toContainText("not propagated again");
  await expect(page.locator("#symbols")).toContainText("Every guard holds");
  await playground.row(/^reshape/).click();
  await expect(playground.inspector).toContainText("384 B");
  await expect(page).toHaveURL(/set=s31:6/);
  await playground.symbol("s31").fill("");
  await expect(playground.row(/^reshape/)).toContainText("[s31, 2, 8]");
});

test("a range keeps the symbol and bounds the bytes", async ({ playground, page }) => {
  await playground.openSymbols();
  await playground.row(/^reshape/).click();
  await playground.symbol("s31").fill("2..64");
  await expect(page.locator("#symbols")).toContainText("Every guard holds");
  await expect(playground.inspector).toContainText("128 B to 4.00 KiB");
  await expect(playground.row(/^reshape/)).toContainText("[s31, 2, 8]");
  await playground.symbol("s31").fill("2..1000");
  await expect(playground.brokenGuards).toHaveCount(1);
  await expect(playground.brokenGuards).toContainText("not for all");
  await expect(playground.brokenGuards).toContainText("s31 in [2, 512]");
});

test("a number that breaks guards propagates again, and each guard leads to its node", async ({
  playground,
  page,
}) => {
  await playground.openSymbols();
  await playground.symbol("s9").fill("16");
  await expect(playground.row(/^reshape/)).toContainText("[2*s31, 2, 8]");
  await expect(playground.summary).not.toContainText("not propagated again");
  const first = playground.brokenGuards.first();
  await expect(first).toContainText("violated");
  await expect(first).toContainText("Eq(s9, 8)");
  await expect(first).toContainText("aten.reshape(x [2*s31, s9])");
  await expect(first).toContainText("model.py:8 in forward");
  await expect(page.locator("#symbols-title")).toContainText("s9 = 16");
  await first.focus();
  await page.keyboard.press("Enter");
  await expect(playground.inspector.getByRole("heading", { name: "reshape" })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(playground.row(/^reshape/)).toContainText("[s31, 2, 8]");
  await expect(playground.brokenGuards).toHaveCount(0);
});

test("what is no size is marked and changes nothing; a range may be typed slowly", async ({
  playground,
  page,
}) => {
  await playground.openSymbols();
  // In one go, so that the answer to 4 comes when 4.. is typed.
  await playground.symbol("s31").evaluate((field: HTMLInputElement) => {
    for (const text of ["4", "4.", "4.."]) {
      field.value = text;
      field.dispatchEvent(new Event("input"));
    }
  });
  await expect(page.locator("#symbols-title")).toContainText("s31 = 4");
  await expect(playground.symbol("s31")).toHaveValue("4..");
  await expect(playground.symbol("s31")).not.toHaveAttribute("aria-invalid", "true");
  await page.keyboard.type("8");
  await expect(page.locator("#symbols-title")).toContainText("s31 in 4..8");
  await playground.symbol("s31").fill("many");
  await expect(playground.symbol("s31")).toHaveAttribute("aria-invalid", "true");
  await playground.symbol("s31").blur();
  await expect(playground.symbol("s31")).toHaveValue("4..8");
});

test("a link brings back what the symbols were set to", async ({ playground, page }) => {
  await playground.open("#file=pairs.json&set=s31:2..64,s9:8");
  await expect(page.locator("#file-name")).toHaveText("decoder (example)"); // until the file is opened
  await playground.openFile(kPairs);
  await page.keyboard.press("s");
  await expect(playground.symbol("s31")).toHaveValue("2..64");
  await expect(playground.symbol("s9")).toHaveValue("8");
});

test("on a narrow window the symbols are a pane of their own", async ({ playground, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await playground.open();
  const tabs = page.getByRole("navigation", { name: "Panes" });
  await expect(tabs.getByRole("button", { name: "Symbols" })).toBeHidden();
  await playground.openFile(kPairs);
  await tabs.getByRole("button", { name: "Symbols" }).click();
  await playground.symbol("s9").fill("16");
  await playground.brokenGuards.first().click();
  await expect(playground.stage).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});
