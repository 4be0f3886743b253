import { expect, test } from "./page.js";

test("finds by operator and shape, and jumps into a closed module", async ({ playground, page }) => {
  await playground.open();
  await page.keyboard.press("/");
  await expect(playground.search).toBeFocused();
  await playground.search.fill("op:silu module:layers.1");
  await expect(playground.matches).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(playground.inspector.getByRole("heading", { name: "silu" })).toBeVisible();
  await expect(playground.row(/^layers\.1 DecoderLayer/)).toHaveAttribute("aria-expanded", "true");
  await expect(playground.row(/^silu_1/)).toHaveAttribute("aria-selected", "true");
  await expect(playground.matches).toHaveCount(0);

  await page.keyboard.press("Control+k");
  await playground.search.fill("shape:[*,*,14336]");
  await expect(playground.live).toHaveText(/\d+ matches/);
  await expect(playground.matches.first()).toContainText("14336");
  await page.keyboard.press("Escape");
  await expect(playground.search).toHaveValue("");
});

test("says when nothing matches", async ({ playground, page }) => {
  await playground.open();
  await playground.search.fill("no_such_thing");
  await expect(page.getByText("Nothing matches")).toBeVisible();
});
