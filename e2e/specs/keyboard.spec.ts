import { expect, test } from "./page.js";

test("everything of a first visit works with the keyboard alone", async ({ playground, page }) => {
  await playground.open();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeHidden();

  await page.keyboard.press("0");
  await page.keyboard.press("1");
  await expect(playground.row(/^layers\.1 DecoderLayer/)).toHaveAttribute("aria-expanded", "true");

  const rows = playground.tree.getByRole("treeitem");
  expect(await rows.evaluateAll((items) => items.filter((item) => item.tabIndex === 0).length)).toBe(1);
  await playground.tree.locator('[tabindex="0"]').focus();
  await page.keyboard.press("Home");
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(rows.first()).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(page.locator(":focus")).toContainText("embed_tokens");
  await expect(playground.inspector.getByRole("heading", { name: "embed_tokens" })).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator(":focus")).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(":focus")).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(":focus")).toContainText("embedding");

  await playground.stage.focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.locator('[role="treeitem"][aria-selected="true"]')).not.toContainText("embedding");
  await page.keyboard.press("+");
  await page.keyboard.press("-");

  await page.keyboard.press("b");
  await expect(playground.batch).toBeFocused();
  await page.keyboard.press("PageUp");
  await expect(playground.batch).toHaveValue("4");
  await page.keyboard.press("ArrowUp");
  await expect(playground.batch).toHaveValue("5");
  await page.keyboard.press("Escape");
  await expect(playground.batch).not.toBeFocused();
});

test("digits open modules, but not while a button or a link has the keyboard", async ({
  playground,
  page,
}) => {
  await playground.open();
  const depth = page.getByRole("button", { name: "Depth 2" });
  await expect(depth).toHaveAttribute("aria-pressed", "false");
  await page.getByRole("button", { name: "Zoom in" }).focus();
  await page.keyboard.press("2");
  await expect(depth).toHaveAttribute("aria-pressed", "false");
  await playground.stage.focus();
  await page.keyboard.press("2");
  await expect(depth).toHaveAttribute("aria-pressed", "true");
});

test("keys count as soon as a dialog closes, though its field has the keyboard a moment longer", async ({
  playground,
  page,
}) => {
  await playground.open();
  const depth = page.getByRole("button", { name: "Depth 1" });
  await expect(depth).toHaveAttribute("aria-pressed", "false");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  const where = await page.evaluate(() => {
    document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
    const at = document.activeElement;
    at?.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true, cancelable: true }));
    return at?.closest("dialog")?.nodeName ?? "";
  });
  expect(where).toBe("DIALOG");
  await expect(depth).toHaveAttribute("aria-pressed", "true");
});

test("undo keeps the keyboard when there is nothing left to undo", async ({ playground, page }) => {
  await playground.open();
  await playground.batch.fill("3");
  const undo = page.getByRole("button", { name: "Undo" });
  await undo.focus();
  await page.keyboard.press("Enter");
  await expect(playground.batch).toHaveValue("2");
  await expect(undo).toBeDisabled();
  await expect(undo).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(undo).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Redo" })).toBeFocused();
});

test("the outline stays where it is while groups and modules open and close", async ({
  playground,
  page,
}) => {
  await playground.open("#example=decoder&select=input_ids");
  await playground.row(/^input_ids/).focus();
  const group = playground.row(/^Parameters and buffers/);
  for (let stop = 0; stop < 2; stop++) await page.keyboard.press("ArrowDown");
  await expect(group).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(group).toHaveAttribute("aria-expanded", "true");
  await expect(group).toBeFocused();

  await playground.tree.locator('[tabindex="0"]').press("End");
  expect(await playground.tree.evaluate((tree) => tree.scrollTop)).toBeGreaterThan(0);
  await playground.tree.evaluate((tree) => {
    tree.scrollTop = 0;
  });
  await playground.row(/^Inputs/).click();
  await expect(playground.row(/^Inputs/)).toHaveAttribute("aria-expanded", "false");
  expect(await playground.tree.evaluate((tree) => tree.scrollTop)).toBe(0);
});

test("Esc steps back: search, then selection to its module, then nothing", async ({ playground, page }) => {
  await playground.open("#example=decoder&select=silu");
  await page.keyboard.press("/");
  await page.keyboard.type("linear");
  await page.keyboard.press("Escape");
  await expect(playground.search).toHaveValue("");
  await page.keyboard.press("Escape");
  await expect(playground.inspector.getByRole("heading", { name: "layers.0.mlp" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(
    playground.inspector.getByRole("heading", {
      name: "layers.0",
      exact: true,
    }),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(playground.inspector).toContainText("Program");
});
