import { readFileSync } from "node:fs";
import { expect, kPairs, test } from "./page.js";

test("a module opens and closes, in outline and picture alike", async ({ playground, page }) => {
  await playground.open("#example=decoder&open=");
  const boxes = async (): Promise<number> =>
    Number(/(\d+) box/.exec((await page.locator("#graph-title").textContent()) ?? "")?.[1]);
  const before = await boxes();
  const layer = playground.row(/^layers\.1 DecoderLayer/);
  await expect(layer).toHaveAttribute("aria-expanded", "false");
  await layer.dblclick();
  await expect(layer).toHaveAttribute("aria-expanded", "true");
  expect(await boxes()).toBeGreaterThan(before);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await expect(playground.row(/^layers\.1 DecoderLayer/)).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("Control+Shift+z");
});

test("outline and picture leave out plumbing, and list it, by one switch", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile(kPairs);
  await page
    .getByRole("button", { name: /^Depth/ })
    .last()
    .click();
  const plumbing = playground.row(/^(sym_size|_assert|ge|eq|mul_\d|add_\d)/);
  const rows = playground.tree.getByRole("treeitem");
  await expect(plumbing).toBeHidden();
  await playground.stage.focus();
  await page.keyboard.press("p");
  await expect(plumbing).toBeVisible();
  const count = await rows.count();
  await page.keyboard.press("p");
  await expect(plumbing).toBeHidden();
  expect(await rows.count()).toBeLessThan(count);
});

test("all modules open to a depth", async ({ playground, page }) => {
  await playground.open();
  await page.getByRole("button", { name: "Depth 0" }).click();
  await expect(playground.row(/^layers\.0 DecoderLayer/)).toHaveAttribute("aria-expanded", "false");
  await page.getByRole("button", { name: "Depth 1" }).click();
  await expect(playground.row(/^layers\.0 DecoderLayer/)).toHaveAttribute("aria-expanded", "true");
  await expect(page.getByRole("button", { name: "Depth 1" })).toHaveAttribute("aria-pressed", "true");
});

test("a press on the picture selects, and the selection is the same in the outline", async ({
  playground,
  page,
}) => {
  await playground.open("#example=decoder&select=embedding");
  await expect(playground.inspector).toContainText("embedding.default");
  const box = await playground.stage.boundingBox();
  if (box === null) throw new Error("the stage has no box");
  await page.mouse.click(box.x + 4, box.y + 4);
  await expect(page.locator('[aria-selected="true"]')).toHaveCount(0);
});

test("wheel and drag move the picture; the address keeps where it is", async ({ playground, page }) => {
  await playground.open();
  const box = await playground.stage.boundingBox();
  if (box === null) throw new Error("the stage has no box");
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.wheel(0, -200);
  await expect(page).toHaveURL(/at=/);
  const zoomed = page.url();
  await page.mouse.down();
  await page.mouse.move(box.x + 360, box.y + 340, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => page.url()).not.toBe(zoomed);
});

test("exports the picture as SVG and PNG", async ({ playground, page }) => {
  await playground.open();
  const export_ = async (name: string): Promise<Buffer> => {
    const coming = page.waitForEvent("download");
    await page.getByText("Export", { exact: true }).click();
    await page.getByRole("button", { name }).click();
    return readFileSync(await (await coming).path());
  };
  const svg = (await export_("Picture as SVG")).toString();
  expect(svg).toContain("<svg");
  expect(svg).toContain(">embed_tokens<");
  expect((await export_("Picture as PNG")).subarray(1, 4).toString()).toBe("PNG");
});

test("a link restores sizes, open modules and selection", async ({ playground, page }) => {
  await playground.open("#example=decoder&set=batch:5&dtype=bfloat16&open=layers.1&select=/layers.1.mlp");
  await expect(playground.batch).toHaveValue("5");
  await expect(playground.row(/^layers\.1 DecoderLayer/)).toHaveAttribute("aria-expanded", "true");
  await expect(playground.row(/^layers\.0 DecoderLayer/)).toHaveAttribute("aria-expanded", "false");
  await expect(playground.row(/^mlp MLP/)).toHaveAttribute("aria-selected", "true");
  await expect(page).toHaveURL(/set=batch:5/);
});
