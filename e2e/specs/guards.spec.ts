import { expect, test } from "./page.js";

test("lists the guards on sizes, with the call and line that made it so", async ({ playground }) => {
  await playground.openGuards();
  const { guards } = playground;
  await expect(guards).toContainText("s9 = 8 specialised");
  await expect(guards).toContainText("aten.reshape(x [2*s31, s9])");
  await expect(guards).toContainText("model.py:8 in forward");
  await expect(guards).toContainText("3 <= u0 checked at run time");
  await expect(guards).toContainText("that hold in any case");
});

test("goes from an assumption to its node and to where a size came from, by keyboard", async ({
  playground,
  page,
}) => {
  await playground.openGuards();
  await expect(playground.inspector.getByRole("button", { name: /^reshape/ }).first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(playground.inspector.getByRole("heading", { name: "reshape" })).toBeVisible();
  await expect(playground.inspector.getByRole("list", { name: "Guards on sizes here" })).toContainText(
    "s9 = 8",
  );
  const why = playground.inspector.locator("summary", { hasText: "dim 2 is 8" });
  await why.focus();
  await page.keyboard.press("Enter");
  const chain = playground.inspector.getByRole("listitem").filter({ hasText: "an input" });
  await expect(chain).toContainText("dim 1 is 8");
  await expect(chain).toContainText("decided by reshape");
  await chain.getByRole("button", { name: "x", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(playground.inspector).toContainText("input x");
  // The input's own size says why as well: what specialised it.
  await playground.inspector.locator("summary", { hasText: "dim 1 is 8" }).click();
  await expect(playground.inspector).toContainText("of size s9, which is 8 since aten.reshape");
});

test("says so where nothing was assumed", async ({ playground, page }) => {
  await playground.open();
  await page.keyboard.press("g");
  await expect(playground.inspector.getByRole("list", { name: "Guards on sizes" })).toContainText("Nothing");
});
