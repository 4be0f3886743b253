import { existsSync } from "node:fs";
import { expect, file, test } from "./page.js";

const kUnet = file("../../../shared/conformance/models/sd15_unet/static.json.gz");

test("the sentence on top names the peak and where it is; a press fades the graph to what is alive then", async ({
  playground,
  page,
}) => {
  await playground.open();
  await expect(playground.peak).toHaveText("Peak 7.56 GiB at lm_head");
  await playground.peak.click();
  await expect(playground.inspector.getByRole("heading", { name: "linear", exact: true })).toBeVisible();
  await expect(playground.inspector).toContainText("Alive meanwhile: 7.56 GiB");
  await expect(playground.inspector).toContainText("outputs, held to the end");
  await expect(playground.peak).toHaveAttribute("aria-pressed", "true");
  await expect(page).toHaveURL(/alive=linear_14/);
  await page.keyboard.press("Escape");
  await expect(playground.peak).toHaveAttribute("aria-pressed", "false");
});

test("who holds memory at the peak is listed by bytes, with who reads it last", async ({ playground }) => {
  await playground.open();
  await playground.openFile("llama.json.gz");
  await expect(playground.peak).toContainText("Peak");
  await playground.peak.click();
  const holders = playground.inspector.locator(".holders li");
  await expect(holders.first()).toContainText(/until|held to the end|read by nothing/);
  const bytes = await holders.locator(".holder-bytes").allTextContents();
  expect(bytes.length).toBeGreaterThan(1);
});

test("another batch changes strip, sentence, inspector and graph together", async ({ playground }) => {
  await playground.watchNames();
  await playground.open();
  await expect(playground.peak).toHaveText("Peak 7.56 GiB at lm_head");
  await playground.batch.fill("16");
  await expect(playground.peak).toHaveText(/^Peak 21\.\d GiB at lm_head$/);
  await expect(playground.inspector).toContainText(/peak21\.\d GiB/);
  await expect(playground.memory).toHaveAttribute("aria-valuetext", /linear_14, 21\.\d GiB alive, the peak/);
  await expect.poll(() => playground.names()).toContain("16×2048 → 16×2048×4096");
  await playground.page.getByRole("button", { name: "Reset" }).click();
  await expect(playground.peak).toHaveText("Peak 7.56 GiB at lm_head");
});

test("the strip's cursor is the selection, by keys and by the pointer", async ({ playground, page }) => {
  await playground.open();
  await expect(playground.memory).toBeVisible();
  await playground.memory.focus();
  await page.keyboard.press("Home");
  await expect(playground.inspector).toContainText("embedding");
  await page.keyboard.press("ArrowRight");
  await expect(playground.memory).toHaveAttribute("aria-valuetext", /^unsqueeze, /);
  await page.keyboard.press("p");
  await expect(playground.memory).toHaveAttribute("aria-valuetext", /the peak$/);
  await page.keyboard.press("Enter");
  await expect(page.locator("#memory-reading")).toHaveText("7.56 GiB alive at linear_14");
  await page.getByRole("button", { name: "Show all" }).click();
  const box = await playground.memory.boundingBox();
  if (box === null) throw new Error("no strip");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect(page.locator("#memory-reading")).toContainText("alive at");
  // Pressed once more, all of the graph is shown again.
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect(page.getByRole("button", { name: "Show all" })).toBeHidden();
});

test("what the peak is called fits on top and in the strip", async ({ playground, page }) => {
  const training = "../../../shared/conformance/models/bert_base/train.json.gz";
  test.skip(!existsSync(file(training)), "needs the shared models");
  await page.addInitScript(() => {
    const ends: number[] = [];
    Object.assign(window, { ends });
    const { prototype } = CanvasRenderingContext2D;
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called on the same context below
    const { fillText } = prototype;
    prototype.fillText = function (text, x, y) {
      const { id, clientWidth } = this.canvas;
      const { width } = this.measureText(text);
      const left = this.textAlign === "right" ? x - width : x;
      if (id === "memory-canvas") ends.push(Math.min(left, clientWidth - left - width));
      fillText.call(this, text, x, y);
    };
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  await playground.open();
  for (const [i, name] of ["llama.json.gz", training].entries()) {
    await playground.openFile(name, i + 2);
    await expect(playground.peak).toContainText(/^Peak .* at /);
    expect(await playground.peak.evaluate((peak) => peak.scrollWidth - peak.clientWidth)).toBe(0);
    const ends = await page.evaluate(() => (window as unknown as { ends: number[] }).ends);
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(0);
  }
});

test("what is alive stacks by module, and the strip closes", async ({ playground, page }) => {
  await playground.open();
  await page.getByRole("button", { name: "By module" }).click();
  await expect(page.locator("#memory-legend")).toContainText("lm_head");
  await page.getByRole("button", { name: "Memory", exact: true }).click();
  await expect(playground.memory).toBeHidden();
  await page.reload();
  await playground.shown();
  await expect(playground.peak).toBeVisible();
  await expect(playground.memory).toBeHidden();
});

test("nodes are coloured by dtype, bytes, FLOPs or module, and say what for", async ({
  playground,
  page,
}) => {
  await playground.watchNames();
  await playground.open();
  const color = page.getByRole("combobox", { name: "Colour" });
  await color.selectOption("bytes");
  await expect.poll(() => playground.names()).toContain("64.0 MiB");
  await color.selectOption("flops");
  await color.selectOption("module");
  await expect.poll(() => playground.names()).toContain("RMSNorm");
  await expect(page).toHaveURL(/color=module/);
  await page.keyboard.press("Control+z");
  await expect(color).toHaveValue("plain");
});

test("a link brings the fading and the colours back", async ({ playground, page }) => {
  await playground.open("#example=decoder&alive=linear_14&color=flops");
  await expect(page.locator("#memory-reading")).toHaveText("7.56 GiB alive at linear_14");
  await expect(page.getByRole("combobox", { name: "Colour" })).toHaveValue("flops");
});

test("a U-Net of 2,000 nodes: peak, holders and strip follow the batch", async ({ playground }) => {
  test.skip(!existsSync(kUnet), "needs the shared models");
  await playground.open();
  await playground.openFile("../../../shared/conformance/models/sd15_unet/static.json.gz");
  await expect(playground.peak).toContainText("Peak 3.40 GiB");
  await playground.page.getByRole("textbox", { name: /batch/ }).first().fill("16");
  await expect(playground.peak).toContainText(/Peak 4\.\d+ GiB/);
});
