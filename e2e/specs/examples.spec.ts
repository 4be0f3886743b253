/** The menu of examples: each opens, and what it says to try leads to what it says. */
import { expect, test, type Playground } from "./page.js";

async function openExample(playground: Playground, title: RegExp): Promise<void> {
  await playground.open();
  await playground.page.getByText("Examples", { exact: true }).click();
  await playground.page.getByRole("button", { name: title }).click();
  await playground.shown(2);
}

function dim(playground: Playground, name: string) {
  return playground.page.getByRole("textbox", { name: new RegExp(`^Size of ${name}`) });
}

test("vision: another image size, and the peak of it", async ({ playground, page }) => {
  await openExample(playground, /ResNet-18/);
  await expect(page).toHaveTitle(/^vision/);
  await dim(playground, "height").fill("256");
  await dim(playground, "width").fill("256");
  await expect(playground.changed).toContainText("changed");
  await expect(page.locator("#problems-count")).toHaveText("No problems");
  await playground.peak.click();
  await expect(playground.peak).toHaveAttribute("aria-pressed", "true");
});

test("llm: a range for the length, and what was decided about it", async ({ playground, page }) => {
  await openExample(playground, /dynamic sizes/);
  await dim(playground, "length").fill("512..4096");
  await expect(playground.changed).toContainText("changed");
  await expect(page.locator("#symbols-count")).toContainText("2 symbols");
  await page.locator("#stage").focus();
  await page.keyboard.press("g");
  await expect(playground.guards).toBeVisible();
});

test("diffusion: coloured by bytes, at twice the size", async ({ playground, page }) => {
  await openExample(playground, /U-Net/);
  await page.getByRole("combobox", { name: "Colour" }).selectOption("bytes");
  await dim(playground, "height").fill("128");
  await dim(playground, "width").fill("128");
  await expect(playground.changed).toContainText("changed");
  await expect(page.locator("#problems-count")).toHaveText("No problems");
});

test("training: forward and backward in one picture", async ({ playground }) => {
  await openExample(playground, /Forward and backward/);
  await expect(playground.memory).toBeVisible();
  await expect(playground.peak).toContainText("Peak");
  await playground.search.fill("op:convolution_backward");
  await expect(playground.matches.first()).toContainText("convolution_backward");
});

test("error: found by a key, read, and repaired by a size", async ({ playground, page }) => {
  await openExample(playground, /VGG/);
  await expect(playground.summary).toContainText(/^1 error, \d+ not reached/);
  await playground.stage.focus();
  await page.keyboard.press("e");
  await expect(playground.inspector).toContainText("RuntimeError");
  await expect(playground.inspector).toContainText("[8, 18432] X [25088, 4096]");
  await dim(playground, "height").fill("224");
  await dim(playground, "width").fill("224");
  await expect(page.locator("#problems-count")).toHaveText("No problems");
});

test("how to get a .pt2: the lines, copied", async ({ playground, page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await playground.open();
  await page.getByText("Examples", { exact: true }).click();
  await page.getByRole("button", { name: /how to get a .pt2/ }).click();
  const dialog = page.getByRole("dialog", { name: "How to get a .pt2" });
  await dialog.getByRole("button", { name: "Copy" }).click();
  await expect(dialog.getByRole("button", { name: "Copied" })).toBeVisible();
  const lines = await page.evaluate(() => navigator.clipboard.readText());
  expect(lines.trim().split("\n")).toHaveLength(4);
  expect(lines).toContain('torch.export.save(program, "model.pt2")');
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("what is no program says what it is, and leads to how to get one", async ({ playground, page }) => {
  await playground.open();
  const length = Buffer.alloc(8);
  length.writeUInt32LE(2);
  await playground.openBytes("weights.safetensors", Buffer.concat([length, Buffer.from("{}")]));
  await expect(playground.notice).toContainText("safetensors");
  await playground.notice.getByRole("button", { name: "How to get a .pt2" }).click();
  await expect(page.getByRole("dialog", { name: "How to get a .pt2" })).toBeVisible();
});
