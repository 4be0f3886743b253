import { readFileSync } from "node:fs";
import { expect, test } from "./page.js";

const kCard = `name: mine
title: my card, 8 GB
pytorch: {sm: 80}
memory: {total: 8 GiB, bandwidth: 500 GB/s}
flops: {float32: {plain: 10 TFLOPS}, bfloat16: {tensor: 50 TFLOPS}}
`;

test("the sentence on top says where it fits and up to which batch, and follows the batch with the peak", async ({
  playground,
}) => {
  await playground.open();
  await expect(playground.fits).toHaveText(
    /^fits RTX 4090: yes, largest batch \d+, A100 80: yes, largest batch \d+$/,
  );
  const sentence = (await playground.fits.textContent()) ?? "";
  const [, small, large] =
    /4090: yes, largest batch (\d+), A100 80: yes, largest batch (\d+)/.exec(sentence) ?? [];
  expect(Number(small)).toBeLessThan(Number(large));
  await playground.batch.fill(String(Number(small) + 1));
  await expect(playground.fits).toHaveText(
    `fits RTX 4090: no, batch ${small} would, A100 80: yes, largest batch ${large}`,
  );
  await expect(playground.peak).not.toHaveText("Peak 7.56 GiB at lm_head");
});

test("all devices are in a table with the largest batch, a step's time and what bounds it", async ({
  playground,
  page,
}) => {
  await playground.open();
  await expect(playground.fits).toBeVisible();
  await page.keyboard.press("d");
  const dialog = page.getByRole("dialog", { name: "Does it fit?" });
  await expect(dialog.getByRole("row")).toHaveCount(16);
  const t4 = dialog.getByRole("row", { name: /NVIDIA T4/ });
  await expect(t4).toContainText("16.0 GiB");
  await expect(t4).toContainText(/compute|memory|launch/);
  // What stands in the sentence is chosen here.
  await dialog.getByRole("checkbox", { name: "NVIDIA GeForce RTX 4090 24GB in the sentence" }).uncheck();
  await dialog.getByRole("checkbox", { name: "NVIDIA T4 16GB in the sentence" }).check();
  await page.keyboard.press("Escape");
  await expect(playground.fits).toHaveText(/^fits A100 80: yes, .*T4: /);
  await page.reload();
  await playground.shown();
  await expect(playground.fits).toHaveText(/^fits A100 80: yes, .*T4: /);
});

test("a step of training is asked about in the table and in the sentence", async ({ playground, page }) => {
  await playground.open();
  await expect(playground.fits).toHaveText(/^fits RTX 4090: yes, largest batch \d+/);
  const largest = async () => Number(/batch (\d+)/.exec((await playground.fits.textContent()) ?? "")?.[1]);
  const ofRun = await largest();
  await page.keyboard.press("d");
  const dialog = page.getByRole("dialog", { name: "Does it fit?" });
  await expect(dialog.getByRole("row")).toHaveCount(16);
  await dialog.getByRole("combobox", { name: "What is run" }).selectOption("a training step with Adam");
  await expect(dialog.getByRole("combobox", { name: "Counted as" })).toBeDisabled();
  await expect(playground.fits).toHaveText(/^a step with Adam fits RTX 4090: no/, { timeout: 20_000 });
  expect((await largest()) || 0).toBeLessThan(ofRun);
  await expect(dialog.getByRole("row", { name: /NVIDIA T4/ })).toContainText("no");
});

test("a device file that is dropped on the page is asked about, and a wrong one is refused with its line", async ({
  playground,
}) => {
  await playground.open();
  await expect(playground.fits).toBeVisible();
  await playground.dropText("mine.yaml", kCard);
  await expect(playground.fits).toHaveText(/^fits my card: (yes|no)/);
  await playground.dropText("wrong.yaml", kCard.replace("500 GB/s", "-500 GB/s"));
  await expect(playground.notice).toContainText("memory.bandwidth: more than 0 expected, not '-500 GB/s'");
  await expect(playground.fits).toHaveText(/^fits my card: (yes|no)/);
});

test("nodes are coloured by the time that they take, and a comparison says what takes longer", async ({
  playground,
  page,
}) => {
  await playground.watchNames();
  await playground.open();
  await expect(playground.fits).toBeVisible();
  await page.getByRole("combobox", { name: "Colour" }).selectOption("time");
  await expect.poll(() => playground.names()).toContainEqual(expect.stringMatching(/^[\d.]+ (ms|µs)$/));
  await page.keyboard.press("x");
  await playground.batch.fill("16");
  const bar = page.getByRole("region", { name: "Comparison" });
  await expect(bar).toContainText(/a step on rtx4090 153 ms → 1\.22 s \(\+1\.07 s\)/);
});

test("the report says what holds the peak, which devices it fits and how long nodes take", async ({
  playground,
  page,
}) => {
  await playground.open();
  await expect(playground.fits).toBeVisible();
  await page.getByText("Export", { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Report as one HTML file" }).click(),
  ]);
  const html = readFileSync(await download.path(), "utf8");
  for (const part of ["Memory over time", "At the peak", "Does it fit", "NVIDIA T4 16GB", "Time on rtx4090"])
    expect(html).toContain(part);
  expect(html).not.toContain("<script");
});
