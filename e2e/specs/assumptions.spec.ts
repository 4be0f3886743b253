import type { Locator } from "@playwright/test";
import { expect, test, type Playground } from "./page.js";

/** A static Llama of a batch of 2, answered for 8 on a GPU: most of what follows is known, the devices are guesses. */
async function openAssumptions(playground: Playground): Promise<void> {
  await playground.open();
  await playground.openFile("llama.json.gz");
  await playground.batch.fill("8");
  await expect(playground.assumed).toHaveText("20 assumptions");
  await playground.page.getByRole("combobox", { name: /^Device/ }).selectOption("cuda");
  await expect(playground.assumed).toContainText("guesses");
}

test("what was assumed is said beside the summary, guesses too, and one click away", async ({
  playground,
  page,
}) => {
  await openAssumptions(playground);
  const [, count, guesses] =
    /^(\d+) assumptions, (\d+) guesses$/.exec(await playground.assumed.innerText()) ?? [];
  expect(Number(count)).toBeGreaterThan(Number(guesses));
  await expect(playground.live).toContainText(`${count} assumptions, ${guesses} guesses`);
  await playground.assumed.click();
  const line = playground.assumption("view.0");
  await expect(line).toContainText("assumed");
  await expect(line).toContainText("2 → becomes 8");
  await expect(line).toContainText("is dimension 0 of input_ids");
  await expect(line).toContainText("modeling_llama.py:243 in forward");
  await expect(playground.assumption("arange.device")).toContainText("guess");
  await expect(playground.assumption("arange.device")).toContainText("cpu → becomes cuda:0");
  // Its nodes, one by one.
  await line.getByRole("button", { name: "and 1 more", exact: true }).click();
  await line.getByRole("button", { name: "view_3.0", exact: true }).click();
  await expect(playground.inspector).toContainText("aten::view.default → view_3");
  await page.getByRole("checkbox", { name: "Only guesses" }).check();
  await expect(line).toHaveCount(0);
  await expect(playground.assumption("arange.device")).toBeVisible();
});

test("one is decided otherwise by a click, is kept in the link, and can be taken back", async ({
  playground,
  page,
}) => {
  await openAssumptions(playground);
  await playground.assumed.click();
  const line = playground.assumption("view.0");
  await line.getByRole("button", { name: "Keep 2, view.0 and 1 more" }).click();
  await expect(line).toContainText("decided");
  await expect(line).toContainText("2 stays");
  await expect(page.locator("#problems-count")).toContainText("error");
  await expect(line.getByRole("button", { name: /^Take back/ })).toBeFocused();
  await expect(page.locator("#assumptions-count")).toContainText("2 decided");
  await expect(page).toHaveURL(/assume=view\.0:literal,view_3\.0:literal/);

  const link = new URL(page.url()).hash;
  await page.goto("about:blank");
  // The browser has kept the file.
  await playground.open(link);
  await expect(playground.notice).toBeHidden();
  await page.keyboard.press("a");
  await expect(line).toContainText("decided");
  // What an error keeps from being reached was decided all the same.
  await expect(playground.assumptions).toContainText("view_3.0");
  await line.getByRole("button", { name: /^Take back/ }).click();
  await playground.assumptions.getByRole("button", { name: "Take back, view_3.0" }).click();
  await expect(page.locator("#problems-count")).toHaveText("No problems");
  await expect(line).toContainText("2 → becomes 8");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page).toHaveURL(/assume=view_3\.0:literal/);
});

test("a dtype that stays can follow, and one that follows can stay", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("llama.json.gz");
  await page.getByRole("combobox", { name: /^Dtype/ }).selectOption("bfloat16");
  await playground.assumed.click();
  const offering = (name: RegExp): Locator =>
    playground.assumptions.locator("> li").filter({ has: page.getByRole("button", { name }) });
  const stays = offering(/^Follow, .*dtype/).first();
  const site = await stays.getByRole("button").first().innerText();
  await stays.getByRole("button", { name: /^Follow/ }).click();
  await expect(playground.assumption(site)).toContainText("float32 → becomes bfloat16");
  await expect(playground.assumption(site)).toContainText("decided");
  await playground
    .assumption(site)
    .getByRole("button", { name: /^Take back/ })
    .click();
  await expect(playground.assumption(site)).toContainText("float32 stays");
  const follows = offering(/^Keep float32/).first();
  const other = await follows.getByRole("button").first().innerText();
  await follows.getByRole("button", { name: /^Keep float32/ }).click();
  await expect(playground.assumption(other)).toContainText("float32 stays");
});

test("all of it works with the keyboard", async ({ playground, page }) => {
  await openAssumptions(playground);
  await playground.batch.blur();
  await page.keyboard.press("a");
  const first = playground.assumptions.locator("> li").first();
  await expect(first.getByRole("button").first()).toBeFocused();
  const name = await first.getByRole("button").first().innerText();
  await page.keyboard.press("Enter");
  await expect(playground.inspector.getByRole("heading", { name: name.replace(/\..*/, "") })).toBeVisible();
  await expect(first.getByRole("button").first()).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(first).toContainText("decided");
  await expect(first.getByRole("button", { name: /^Take back/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(first).not.toContainText("decided");
  await page.keyboard.press("Control+z");
  await expect(first).toContainText("decided");
});

test("literal is what FakeTensorProp answers, and is kept in the link", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("classifier.pt2");
  await expect(playground.literal).toBeHidden(); // nothing is changed
  await playground.batch.fill("6");
  await expect(playground.assumed).toHaveText("1 assumption");
  await expect(page.locator("#problems-count")).toHaveText("No problems");
  await playground.literal.check();
  await expect(page.locator("#problems-count")).toHaveText(/^1 error, \d+ not reached/);
  await expect(playground.assumed).toBeHidden();
  await expect(page).toHaveURL(/set=batch:6&literal=1/);
  const link = new URL(page.url()).hash;
  await page.goto("about:blank");
  // The browser has kept the file.
  await playground.open(link);
  await expect(playground.literal).toBeChecked();
  await expect(page.locator("#problems-count")).toHaveText(/^1 error, \d+ not reached/);
  await page.getByRole("button", { name: "Reset" }).click();
  await expect(playground.literal).toBeHidden();
  await expect(page.locator("#problems-count")).toHaveText("No problems");
});

test("a program whose nodes hold nothing of the example assumes nothing", async ({ playground, page }) => {
  await playground.open();
  await playground.batch.fill("8");
  await expect(playground.live).toContainText("values changed");
  await expect(playground.assumed).toBeHidden();
  await playground.batch.blur();
  await page.keyboard.press("a");
  await expect(playground.live).toHaveText("Nothing was assumed of the example");
});

test("a decision that does not fit is left out of a link, and told", async ({ playground }) => {
  await playground.open("#file=classifier.pt2&set=batch:6&assume=view.0:6,nobody.0:literal");
  await playground.openFile("classifier.pt2");
  await expect(playground.notice).toContainText("assume=nobody.0:literal");
  await expect(playground.notice).toContainText("nothing can be assumed of 'nobody.0'");
  await playground.assumed.click();
  await expect(playground.assumption("view.0")).toContainText("decided");
});

test("on a narrow window the assumptions are a pane of their own", async ({ playground, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openAssumptions(playground);
  await expect(playground.assumed).toBeInViewport();
  await page.getByRole("navigation", { name: "Panes" }).getByRole("button", { name: "Assumed" }).click();
  await expect(playground.assumption("view.0")).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await playground.assumption("view.0").getByRole("button", { name: "view.0", exact: true }).click();
  await expect(playground.stage).toBeVisible();
  await playground.assumed.click();
  await expect(playground.assumptions).toBeVisible();
});
