import { readFileSync } from "node:fs";
import { expect, test, type Playground } from "./page.js";

async function boxes({ page }: Playground): Promise<number> {
  return Number(/(\d+) box/.exec((await page.locator("#graph-title").textContent()) ?? "")?.[1]);
}

async function svg({ page }: Playground): Promise<string> {
  const coming = page.waitForEvent("download");
  await page.getByText("Export", { exact: true }).click();
  await page.getByRole("button", { name: "Picture as SVG" }).click();
  return readFileSync(await (await coming).path()).toString();
}

test("plumbing is left out of the picture until it is asked for", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("llama.json.gz");
  const few = await boxes(playground);
  expect(await svg(playground)).not.toContain("_assert_tensor_metadata");
  const plumbing = page.getByRole("button", { name: "Plumbing" });
  await plumbing.click();
  await expect.poll(() => boxes(playground)).toBeGreaterThan(few);
  await expect(page).toHaveURL(/plumbing=1/);
  await page.keyboard.press("Control+z");
  await expect.poll(() => boxes(playground)).toBe(few);
  await expect(plumbing).toHaveAttribute("aria-pressed", "false");
});

test("a closed module says what goes in, what comes out and how much it has learned", async ({
  playground,
}) => {
  await playground.watchNames();
  await playground.open("#example=decoder&open=");
  await expect.poll(() => playground.names()).toContain("2×2048 → 2×2048×4096");
  expect(await playground.names()).toContain("525M");
  await playground.batch.fill("7");
  await expect.poll(() => playground.names()).toContain("7×2048 → 7×2048×4096");
});

test("the pointer that rests on a box is told what it is", async ({ playground, page }) => {
  await playground.open("#example=decoder&open=");
  const stage = await playground.stage.boundingBox();
  if (stage === null) throw new Error("the stage has no box");
  const card = page.locator("#hover");
  await expect(playground.peak).toBeVisible();
  const rests = async (x: number, y: number): Promise<boolean> => {
    await page.mouse.move(stage.x + x * stage.width, stage.y + y * stage.height);
    if (!(await playground.stage.evaluate(({ classList }) => classList.contains("over-box")))) return false;
    await expect(card).toBeVisible();
    return true;
  };
  for (
    let at = 0;
    at < 400 && !(await rests(0.2 + (at % 20) * 0.03, 0.02 + Math.floor(at / 20) * 0.04));
    at++
  );
  await expect(card).toContainText(/in {2}|out/);
  await expect(card).toContainText(/brings/);
  await page.mouse.move(stage.x + 3, stage.y + 3);
  await expect(card).toBeHidden();
});

test("all that a node depends on and all that depends on it, in two colours, the rest faded", async ({
  playground,
  page,
}) => {
  await playground.open("#example=decoder&open=layers.0,layers.0.mlp&select=linear_6");
  const strokes = async (): Promise<number> => {
    const lines = (await svg(playground)).match(/stroke-width="2"/g);
    return lines?.length ?? 0;
  };
  const near = await strokes();
  await page.getByRole("button", { name: "Trace" }).click();
  expect(await strokes()).toBeGreaterThan(near + 5);
  expect(await svg(playground)).toContain('opacity="0.22"');
  await playground.stage.focus();
  await page.keyboard.press("t");
  expect(await svg(playground)).not.toContain('opacity="0.22"');
});
