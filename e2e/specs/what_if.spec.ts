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
  await page.getByRole("textbox", { name: "Size of length" }).fill("64");
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
  await playground.literal.check();
  await expect(page.locator("#problems-count")).toHaveText("1 error, 2 not reached");
  await expect(playground.summary).toContainText("1 error, 2 not reached");
  await playground.literal.blur();
  await page.keyboard.press("e");
  await expect(playground.inspector.getByRole("heading", { name: "linear" })).toBeVisible();
  await expect(playground.inspector).toContainText(
    "a and b must have same reduction dim, but got [4, 192] X [128, 10].",
  );
  await expect(playground.row(/^linear/)).toContainText("error");
  await expect(playground.row(/^softmax/)).toContainText("not reached");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(playground.literal).not.toBeChecked();
  await expect(page.locator("#problems-count")).toHaveText("No problems");
});

/** A static program, a chip that changes a size of it, and its output as it is, with each chip changed, and with all. */
const kModels = [
  {
    what: "the built-in decoder",
    file: null,
    output: "linear_14",
    asIs: "[2, 2048, 128256]",
    batch: "[8, 2048, 128256]",
    size: { name: "Size of length", text: "512", shape: "[2, 512, 128256]" },
    all: "[8, 512, 128256]",
  },
  {
    what: "a static ResNet",
    file: "resnet.json.gz",
    output: "batch_norm",
    asIs: "[1, 64, 112, 112]",
    batch: "[8, 64, 112, 112]",
    size: { name: "Size of height", text: "320", shape: "[1, 64, 160, 112]" },
    all: "[8, 64, 160, 112]",
  },
  {
    what: "a static Llama",
    file: "llama.json.gz",
    output: "linear_14",
    asIs: "[2, 16, 256]",
    batch: "[8, 16, 256]",
    size: { name: "Size of length", text: "64", shape: "[2, 64, 256]" },
    all: "[8, 64, 256]",
  },
] as const;

for (const { what, file, output, asIs, batch, size, all } of kModels) {
  test(`${what} follows every chip as a new export would`, async ({ playground, page }) => {
    const problems = page.locator("#problems-count");
    const reset = page.getByRole("button", { name: "Reset" });
    const dtype = page.getByRole("combobox", { name: /^Dtype/ });
    const device = page.getByRole("combobox", { name: /^Device/ });
    await playground.open();
    if (file !== null) await playground.openFile(file);
    await playground.search.fill(output);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`select=${output}(&|$)`));
    const value = playground.inspector;
    await expect(value).toContainText(asIs);

    await playground.batch.fill("8");
    await expect(value).toContainText(batch);
    await expect(problems).toHaveText("No problems");
    await reset.click();
    await expect(value).toContainText(asIs);

    await page.getByRole("textbox", { name: size.name }).fill(size.text);
    await expect(value).toContainText(size.shape);
    await expect(problems).toHaveText("No problems");
    await reset.click();
    await expect(value).toContainText(asIs);

    await dtype.selectOption("bfloat16");
    await expect(value).toContainText("bfloat16");
    await expect(problems).toHaveText("No problems");
    await reset.click();
    await expect(value).toContainText("float32");

    await device.selectOption("cuda");
    await expect(value).toContainText("cuda");
    await expect(problems).toHaveText("No problems");

    await dtype.selectOption("float16");
    await playground.batch.fill("8");
    await page.getByRole("textbox", { name: size.name }).fill(size.text);
    await expect(value).toContainText(all);
    await expect(value).toContainText("float16");
    await expect(problems).toHaveText("No problems");
  });
}
