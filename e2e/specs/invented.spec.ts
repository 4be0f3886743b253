import { existsSync } from "node:fs";
import { expect, file, test } from "./page.js";

const kTraining = "../../../shared/conformance/models/bert_base/train.json.gz";

test("a joint graph whose file names no modules opens as forward and backward, its layers as one box with their number", async ({
  playground,
  page,
}) => {
  test.skip(!existsSync(file(kTraining)), "needs the shared models");
  await playground.watchNames();
  await playground.open();
  await playground.openFile(kTraining);
  await playground.stage.focus();
  await page.keyboard.press("1");
  // Twelve layers stand as one box in each pass.
  await expect.poll(() => playground.names()).toContain("×12");
  await expect(playground.row(/^block\.11 invented \(.*addmm.*\)/)).toBeVisible();
  await playground.row(/^forward/).click();
  await page.keyboard.press("ArrowLeft");
  await playground.row(/^backward/).click();
  await expect(playground.inspector).toContainText("backward");
  await expect(playground.row(/^block\.11/)).toBeVisible();
});
