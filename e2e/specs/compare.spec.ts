import { existsSync } from "node:fs";
import { expect, file, test } from "./page.js";

const kModels = "../../../shared/conformance/models";

test("what is pinned stays A while sizes change; differences are listed, most first", async ({
  playground,
  page,
}) => {
  await playground.watchNames();
  await playground.open();
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  const bar = page.getByRole("region", { name: "Comparison" });
  await expect(bar).toContainText("No difference");
  await playground.batch.fill("16");
  await expect(bar).toContainText(/Peak 7\.56 GiB → 21\.\d GiB \(\+14\.\d GiB\)/);
  await expect(bar).toContainText("B decoder, batch 16");
  await bar.getByRole("button", { name: /\d+ changed/ }).click();
  const differences = page.getByRole("list", { name: "Differences between A and B" }).getByRole("button");
  await expect(differences.first()).toContainText("linear_14 +13.7 GiB");
  await expect(differences.first()).toContainText("f32[2, 2048, 128256] → f32[16, 2048, 128256]");
  await differences.nth(1).click();
  await expect(playground.inspector).toContainText("Compared with A");
  await expect(playground.inspector).toContainText("→ f32[16,");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Depth 0" }).click();
  await expect(playground.row(/^lm_head/)).toContainText("+13.7 GiB");
  await expect
    .poll(async () => (await playground.names()).some((name) => name.includes("+13.7 GiB")))
    .toBe(true);
  await bar.getByRole("button", { name: "Unpin A" }).click();
  await expect(bar).toBeHidden();
  await expect(page.getByRole("button", { name: "Compare", exact: true })).toBeFocused();
});

test("another dtype halves what A holds, and the list says what each node became", async ({
  playground,
  page,
}) => {
  await playground.open();
  await expect(playground.peak).toHaveText("Peak 7.56 GiB at lm_head");
  await page.keyboard.press("x");
  await page.getByRole("combobox", { name: /^Dtype/ }).selectOption("bfloat16");
  const bar = page.getByRole("region", { name: "Comparison" });
  await expect(bar).toContainText(/Peak 7\.56 GiB → 3\.\d+ GiB \(−3\.\d+ GiB\)/);
  await bar.getByRole("button", { name: /\d+ changed/ }).click();
  const differences = page.getByRole("list", { name: "Differences between A and B" }).getByRole("button");
  await expect(differences.first()).toContainText("f32[2, 2048, 128256] → bf16[2, 2048, 128256]");
  await differences.first().click();
  await expect(playground.inspector).toContainText("→ bf16[2, 2048, 128256]");
});

test("A pinned before its time is known is told of the device that B is told of, and so after another device was chosen", async ({
  playground,
  page,
}) => {
  await playground.open();
  await expect(playground.peak).toBeVisible();
  await page.keyboard.press("x");
  await playground.batch.fill("16");
  const bar = page.getByRole("region", { name: "Comparison" });
  await expect(bar).toContainText(/a step on rtx4090 153 ms → 1\.22 s \(\+1\.07 s\)/);
  await bar.getByRole("button", { name: /\d+ changed/ }).click();
  const differences = page.getByRole("list", { name: "Differences between A and B" }).getByRole("button");
  await expect(differences.first()).toBeFocused();
  await page.keyboard.press("Escape");
  await playground.fits.click();
  const dialog = page.getByRole("dialog", { name: "Does it fit?" });
  await dialog.getByRole("checkbox", { name: "NVIDIA GeForce RTX 4090 24GB in the sentence" }).uncheck();
  await page.keyboard.press("Escape");
  await expect(bar).toContainText(/a step on a100-80gb 610 ms → 4\.88 s \(\+4\.27 s\)/);
});

for (const forcedColors of ["none", "active"] as const)
  test(`the memory of A stands behind that of B, with both peaks and what B has more of (forced colors: ${forcedColors})`, async ({
    playground,
    page,
  }) => {
    await page.emulateMedia({ forcedColors });
    await playground.open();
    await expect(playground.peak).toHaveText("Peak 7.56 GiB at lm_head");
    const legend = page.locator("#memory-legend");
    const picture = (): Promise<string> =>
      page.locator("#memory-canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    await page.keyboard.press("x");
    await expect(legend).not.toContainText("A peak");
    await playground.batch.fill("16");
    await expect(legend).toContainText(/A peak 7\.56 GiB, B 21\.\d GiB \(\+14\.\d GiB\)/);
    await playground.memory.focus();
    await page.keyboard.press("p");
    await expect(playground.memory).toHaveAttribute(
      "aria-valuetext",
      /linear_14, 21\.\d GiB \(A 7\.56 GiB, \+14\.\d GiB\) alive, the peak/,
    );
    const compared = await picture();
    await page.keyboard.press("x");
    await expect(legend).not.toContainText("A peak");
    await expect.poll(picture).not.toBe(compared);
  });

test("the memory of another file is drawn over the same width", async ({ playground, page }) => {
  await playground.open();
  await expect(playground.peak).toBeVisible();
  await page.keyboard.press("x");
  await playground.openFile("llama.json.gz");
  await expect(page.locator("#memory-legend")).toContainText(/A peak 7\.56 GiB, B .* \(−7\.\d+ GiB\)/);
});

test("another file is B, matched by modules and operators", async ({ playground, page }) => {
  test.skip(!existsSync(file(`${kModels}/qwen2/static.json.gz`)), "needs the shared models");
  await playground.open();
  await playground.openFile(`${kModels}/qwen2/static.json.gz`);
  await expect(playground.peak).toBeVisible();
  await page.keyboard.press("x");
  await playground.openFile(`${kModels}/qwen2/dynamic.json.gz`, 3);
  const bar = page.getByRole("region", { name: "Comparison" });
  await expect(bar).toContainText("A static.json.gz");
  await expect(bar).toContainText("B dynamic.json.gz");
  await expect(bar).toContainText(/\d+ changed/);
  await page.keyboard.press("x");
  await expect(bar).toBeHidden();
});
