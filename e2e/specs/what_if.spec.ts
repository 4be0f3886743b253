import { expect, test } from "./page.js";

test("another batch re-propagates everything at once", async ({ playground, page }) => {
  await playground.open("#example=decoder&select=linear");
  await expect(playground.inspector).toContainText("[2, 2048, 4096]");
  await playground.batch.fill("16");
  await expect(playground.inspector).toContainText("[16, 2048, 4096]");
  await expect(playground.live).toContainText("values changed");
  await expect(page.locator("#problems-count")).toHaveText("No problems");
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(playground.inspector).toContainText("[2, 2048, 4096]");
  await page.keyboard.press("Control+z");
  await expect(playground.batch).toHaveValue("16");
});

test("a sequence length is one size for all inputs that share it", async ({ playground, page }) => {
  await playground.open("#example=decoder&select=scaled_dot_product_attention");
  await page.getByRole("textbox", { name: "Size of dim 1" }).fill("64");
  await expect(playground.inspector).toContainText("[2, 32, 64, 128]");
});

test("dtype and device follow the choice", async ({ playground, page }) => {
  await playground.open("#example=decoder&select=linear");
  await page.getByRole("combobox", { name: /^Dtype/ }).selectOption("bfloat16");
  await expect(playground.inspector).toContainText("bfloat16");
  await page.getByRole("combobox", { name: /^Device/ }).selectOption("cuda");
  await expect(playground.inspector).toContainText("cuda");
});

test("a size that is none is marked and changes nothing", async ({ playground }) => {
  await playground.open();
  await playground.batch.fill("0");
  await expect(playground.batch).toHaveAttribute("aria-invalid", "true");
  await playground.batch.blur();
  await expect(playground.batch).toHaveValue("2");
});

test("an error is shown at its node, and what follows as not reached", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("classifier.pt2");
  await playground.batch.fill("6");
  await expect(page.locator("#problems-count")).toHaveText("1 error");
  await playground.batch.blur();
  await page.keyboard.press("e");
  await expect(playground.inspector.getByRole("heading", { name: "linear" })).toBeVisible();
  await expect(playground.inspector).toContainText(
    "a and b must have same reduction dim, but got [4, 192] X [128, 10].",
  );
  await expect(playground.row(/^linear/)).toContainText("error");
  await expect(playground.row(/^softmax/)).toContainText("not reached");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.locator("#problems-count")).toHaveText("No problems");
});
