/** A size at several values: what each takes, as a table and as CSV. */
import { readFileSync } from "node:fs";
import { expect, test } from "./page.js";

test("memory, FLOPs and time over the batch, and back to the page at one of them", async ({
  playground,
  page,
}) => {
  await playground.open();
  await page.getByRole("button", { name: "Sweep" }).click();
  const dialog = page.getByRole("dialog", { name: /^Sweep/ });
  await dialog.getByRole("textbox", { name: "Values" }).fill("1..8");
  await expect(dialog).toContainText("4 values: 1, 2, 4, 8");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("status")).toHaveText("4 values swept");
  const cells = await dialog.getByRole("row").allInnerTexts();
  expect(cells).toHaveLength(5);
  const flops = (text = "") => Number(/([\d.]+) TFLOP/.exec(text)?.[1]);
  expect(flops(cells[4]) / flops(cells[1])).toBeCloseTo(8, 1);
  const coming = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "CSV" }).click();
  const lines = readFileSync(await (await coming).path(), "utf8")
    .trim()
    .split("\n");
  expect(lines[0]).toBe("batch,peak_bytes,held_bytes,flops,seconds_on_h100,problems,first_problem");
  expect(lines).toHaveLength(5);
  await dialog.getByRole("button", { name: "8", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(playground.batch).toHaveValue("8");
});

test("values that are none are refused with the reason, an error stands in its line", async ({
  playground,
  page,
}) => {
  await playground.open("#example=error");
  await page.getByRole("button", { name: "Sweep" }).click();
  const dialog = page.getByRole("dialog", { name: /^Sweep/ });
  const values = dialog.getByRole("textbox", { name: "Values" });
  await values.fill("many");
  await expect(dialog).toContainText("“many” is no value");
  await expect(dialog.getByRole("button", { name: "Sweep" })).toBeDisabled();
  await values.fill("1 2");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("row", { name: /^1 .*25088/ })).toBeVisible();
});
