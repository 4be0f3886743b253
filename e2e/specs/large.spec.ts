import { writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { grownDecoder } from "../measure/grow.mjs";
import { expect, test, type Playground } from "./page.js";

// Making and opening it takes seconds, more on a machine that does other things too.
test.describe.configure({ timeout: 90_000 });

let made = "";

/** Begins to open a file so large that it is still being read when a busy machine comes to the next step. */
async function openLarge({ playground, page }: { playground: Playground; page: Page }): Promise<void> {
  const path = test.info().outputPath("large.json");
  made ||= grownDecoder(200_000);
  writeFileSync(path, made);
  await playground.open();
  await page.locator("#file").setInputFiles(path);
  await expect(playground.progress).toBeVisible();
}

test("a large file tells of its progress and can be cancelled; the page goes on with what it had", async ({
  playground,
  page,
}) => {
  await openLarge({ playground, page });
  await expect(playground.progress).toContainText("large.json");
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(playground.progress).toBeHidden();
  await expect(page.locator("#file-name")).toHaveText("decoder (example)");
  await playground.batch.fill("7");
  await expect(playground.live).toContainText("values changed");
  await playground.row(/^input_ids/).click();
  await expect(playground.inspector).toContainText("[7, 2048]");
});

test("what is changed while a large file is read does not end the reading", async ({ playground, page }) => {
  await openLarge({ playground, page });
  await playground.batch.fill("7");
  await expect(playground.progress).toContainText("Your change to decoder waits");
  await playground.row(/^layers\.0 DecoderLayer/).dblclick();
  await playground.shown(2);
  await expect(page.locator("#file-name")).toHaveText("large.json");
  await expect(playground.batch).toHaveValue("2");
  await expect(page.getByRole("button", { name: "Undo" })).toBeDisabled();
});

test("what is changed while a large file is read is done once that is cancelled", async ({
  playground,
  page,
}) => {
  await openLarge({ playground, page });
  await playground.batch.fill("7");
  await expect(playground.progress).toContainText("Your change to decoder waits");
  await page.keyboard.press("Escape"); // leaves the field
  await page.keyboard.press("Escape");
  await expect(playground.progress).toBeHidden();
  await playground.row(/^input_ids/).click();
  await expect(playground.inspector).toContainText("[7, 2048]");
  await expect(page.locator("#file-name")).toHaveText("decoder (example)");
});

test("a large file opens, with its hundreds of equal blocks as one box", async ({ playground, page }) => {
  await openLarge({ playground, page });
  await playground.shown(2);
  await expect(page.locator("#file-name")).toHaveText("large.json");
  await expect(playground.progress).toBeHidden();
  await expect(page.locator("#summary")).toContainText(/^2\d\d,\d{3} values/);
  await playground.search.fill("layers.1000.mlp op:silu");
  await page.keyboard.press("Enter");
  await expect(playground.inspector.getByRole("heading", { name: "silu" })).toBeVisible();
  await expect(playground.inspector.getByRole("button", { name: /^layers\.1000 / })).toBeVisible();
});
