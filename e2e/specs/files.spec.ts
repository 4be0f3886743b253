import { readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { expect, file, kDecoder, test, type Playground } from "./page.js";

test("opens a .pt2 archive", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("classifier.pt2");
  await expect(page.locator("#file-name")).toHaveText("classifier.pt2");
  await page.keyboard.press("2");
  await playground.row(/^conv2d/).click();
  await expect(playground.inspector.getByRole("heading", { name: "conv2d" })).toBeVisible();
  await expect(playground.inspector).toContainText("[4, 8, 16, 16]");
  await expect(playground.inspector).toContainText("contiguous");
  await expect(playground.inspector).toContainText("make_files.py");
});

test("takes a file that is dropped anywhere", async ({ playground, page }) => {
  await playground.open();
  await playground.drop("classifier.pt2");
  await playground.shown(2);
  await expect(page.locator("#file-name")).toHaveText("classifier.pt2");
  await expect(page.locator("#drop")).toBeHidden();
});

test("of several dropped files opens the first and says so", async ({ playground, page }) => {
  await playground.open();
  await playground.drop("custom.pt2", "classifier.pt2");
  await playground.shown(2);
  await expect(page.locator("#file-name")).toHaveText("custom.pt2");
  await expect(playground.notice).toContainText("custom.pt2 is opened, not classifier.pt2");
});

test("takes a program that is pasted as text, and says what is wrong with other text", async ({
  playground,
  page,
}) => {
  await playground.open();
  await playground.paste("x = torch.randn(2, 3)");
  await expect(playground.notice).toContainText("pasted text");
  await expect(page.locator("#file-name")).toHaveText("decoder (example)");
  const example = readFileSync(file(kDecoder));
  await playground.paste(gunzipSync(example).toString());
  await playground.shown(2);
  await expect(page.locator("#file-name")).toHaveText("pasted text");
  await expect(playground.notice).toBeHidden();
});

/** Opens the file whose operator scale_rows has no rule. */
async function openUnknown({ playground, page }: { playground: Playground; page: Page }): Promise<void> {
  await playground.open();
  await playground.openFile("custom.pt2");
  await expect(page.locator("#problems-count")).toHaveText("1 unknown operator, 2 not reached");
}

test("counts an unknown operator apart from errors and answers everything else", async ({
  playground,
  page,
}) => {
  await openUnknown({ playground, page });
  await page.locator("#problems-title").click();
  await page.getByRole("list", { name: "1 unknown operator" }).getByRole("button").first().click();
  await expect(playground.inspector).toContainText("No rule for");
  await playground.row(/^sum/).click();
  await expect(playground.inspector).toContainText("[5]");
  await playground.row(/^relu/).click();
  await expect(playground.inspector).toContainText("Not reached");
  await expect(playground.inspector.getByRole("button", { name: "scale_rows" }).first()).toBeVisible();
});

test("answers unknown operators by a file of op profiles, until they are taken back", async ({
  playground,
  page,
}) => {
  await openUnknown({ playground, page });
  const profiles = file("../../tests/golden/custom_profiles.yaml");
  await page.locator("#profiles-file").setInputFiles(profiles);
  await expect(page.locator("#problems-count")).not.toContainText("unknown");
  await playground.row(/^relu/).click();
  await expect(playground.inspector).not.toContainText("Not reached");
  await expect(page.getByRole("button", { name: "custom_profiles.yaml" })).toBeVisible();
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(page.locator("#problems-count")).toHaveText("1 unknown operator, 2 not reached");
});

test("takes profiles and gives them back by keyboard alone", async ({ playground, page }) => {
  const chooser = page.waitForEvent("filechooser"); // before the page could ask for it
  await openUnknown({ playground, page });
  const choose = page.getByRole("button", { name: "Op profiles: open YAML" });
  await page.keyboard.press("b");
  for (
    let stop = 0;
    stop < 8 && !(await choose.evaluate((button) => button === document.activeElement));
    stop++
  )
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await (await chooser).setFiles(file("../../tests/golden/custom_profiles.yaml"));
  await expect(page.locator("#problems-count")).toHaveText("No problems");
  await expect(page.getByRole("button", { name: "Op profiles: custom_profiles.yaml" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Take the profiles back" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("#problems-count")).toHaveText("1 unknown operator, 2 not reached");
  await expect(choose).toBeFocused();
});

test("says what is wrong with a file of profiles", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("custom.pt2");
  const bad = { name: "bad.yaml", mimeType: "text/yaml", buffer: Buffer.from("a: [1") };
  await page.locator("#profiles-file").setInputFiles(bad);
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(page.locator("#problems-count")).toHaveText("1 unknown operator, 2 not reached");
});

const kBad: [string, string, () => Buffer][] = [
  ["an empty file", "empty.pt2", () => Buffer.alloc(0)],
  ["a truncated archive", "truncated.pt2", () => readFileSync(file("classifier.pt2")).subarray(0, 20_000)],
  ["what is not JSON", "notes.json", () => Buffer.from("these are notes")],
  ["deep JSON", "deep.json", () => Buffer.from("[".repeat(200_000))],
  ["JSON of something else", "other.json", () => Buffer.from('{"hello": [1, 2, 3]}')],
  ["a broken gzip stream", "broken.json.gz", () => gzipSync("{}").subarray(0, 12)],
  ["a zip without a model", "nothing.zip", () => Buffer.from("504b0506" + "00".repeat(18), "hex")],
];

for (const [what, name, bytes] of kBad) {
  test(`says what is wrong with ${what} and stays alive`, async ({ playground, page }) => {
    await playground.open();
    await playground.openBytes(name, bytes());
    await expect(page.getByRole("alert")).toContainText(name);
    await expect(page.locator("#file-name")).toHaveText("decoder (example)");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("alert")).toBeHidden();
    await playground.batch.fill("3");
    await expect(playground.live).toContainText("values changed");
    await playground.openFile("classifier.pt2");
    await expect(page.locator("#file-name")).toHaveText("classifier.pt2");
  });
}
