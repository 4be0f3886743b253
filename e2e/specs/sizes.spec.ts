import { expect, test } from "./page.js";

test("sizes are typed as people write them, and a refused text says why", async ({ playground, page }) => {
  await playground.open("#example=decoder&select=linear");
  const sequence = page.getByRole("textbox", { name: "Size of length (input_ids, position_ids)" });
  for (const [text, size] of [
    ["8k", 8192],
    ["1e3", 1000],
    ["4_096", 4096],
  ] as const) {
    await sequence.fill(text);
    await expect(playground.inspector).toContainText(`[2, ${size}, 4096]`);
  }
  await expect(page.getByText("batch (input_ids 0)")).toBeVisible();
  await sequence.fill("many");
  const refusal = page.getByRole("alert").filter({ hasText: "no size" });
  await expect(refusal).toContainText("“many” is no size. Write 4, 8k, 1e3");
  await sequence.fill("64..2");
  await expect(page.getByRole("alert")).toBeHidden(); // it may become 64..200
  await sequence.blur();
  await expect(page.getByRole("alert").filter({ hasText: "2 is less than 64" })).toBeVisible();
  await expect(sequence).toHaveValue("4096");
});

test("what changed is counted, and a list of it jumps", async ({ playground, page }) => {
  await playground.open();
  await expect(playground.changed).toBeHidden();
  await playground.batch.fill("16");
  await expect(playground.changed).toHaveText(/^[1-9]\d* of 140 changed$/);
  await playground.batch.blur();
  await page.keyboard.press("c");
  await expect(playground.changes.first()).toBeFocused();
  await expect(playground.changes.first()).toContainText("i64[2, 2048] → i64[16, 2048]");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(playground.inspector.getByRole("heading", { name: "embedding" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(playground.changes).toHaveCount(0);
  await expect(playground.changed).toBeFocused();
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(playground.changed).toBeHidden();
});

test("a range makes a size of a static program a symbol", async ({ playground, page }) => {
  await playground.open("#example=decoder&select=linear");
  await playground.batch.fill("1..64");
  await expect(playground.inspector).toContainText("[batch, 2048, 4096]");
  await expect(page.locator("#problems-count")).toHaveText("No problems");
  await playground.batch.blur();

  // As in a file with symbols: numbers follow without another propagation, and guards say what breaks.
  await page.keyboard.press("s");
  await expect(playground.symbol("batch")).toBeFocused();
  await playground.symbol("batch").fill("8");
  await expect(playground.inspector).toContainText("[8, 2048, 4096]");
  await expect(playground.summary).toContainText("not propagated again");
  await playground.symbol("batch").fill("2..16");
  await expect(playground.inspector).toContainText("[batch, 2048, 4096]");
  await playground.symbol("batch").fill("1");
  await expect(playground.brokenGuards.first()).toContainText("Ne(batch, 1)");
  await expect(playground.inspector).toContainText("[1, 2048, 4096]");

  await expect.poll(() => new URL(page.url()).hash).toContain("dynamic=batch:1..64&set=batch:1");
  await page.reload();
  await playground.shown();
  await expect(playground.batch).toHaveValue("1..64");
  await expect(playground.symbol("batch")).toHaveValue("1");

  // A number in the chip makes it one again.
  await playground.batch.fill("4");
  await expect(playground.inspector).toContainText("[4, 2048, 4096]");
  await expect(page.locator("#symbols-pane")).toBeHidden();
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(playground.inspector).toContainText("[2, 2048, 4096]");
});

test("two sizes are symbols at once, of several inputs too", async ({ playground, page }) => {
  await playground.open("#example=decoder&select=linear");
  await playground.batch.fill("2..64");
  await page.getByRole("textbox", { name: "Size of length" }).fill("2..8k");
  await expect(playground.inspector).toContainText("[batch, input_ids_1, 4096]");
  await page.getByRole("textbox", { name: "Size of length" }).blur();
  await page.keyboard.press("s");
  await playground.symbol("input_ids_1").fill("1k");
  await expect(playground.inspector).toContainText("[batch, 1024, 4096]");
  await expect(page.locator("#symbols-count")).toContainText("2 symbols, input_ids_1 = 1024");
});
