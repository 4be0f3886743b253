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

test("marks what was found in the picture that the jump lays out anew", async ({ playground, page }) => {
  await page.addInitScript(() => {
    const drawn: { marked: boolean; box: number[]; texts: string[] }[] = [];
    Object.assign(window, { drawn });
    const { prototype } = CanvasRenderingContext2D;
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called on the same context below
    const { fillRect, roundRect, stroke, fillText } = prototype;
    prototype.fillRect = function (x, y, w, h) {
      if (this.canvas.id === "canvas" && x === 0 && y === 0) drawn.length = 0;
      fillRect.call(this, x, y, w, h);
    };
    prototype.roundRect = function (x, y, w, h, radii) {
      if (this.canvas.id === "canvas") drawn.push({ marked: false, box: [x, y, w, h], texts: [] });
      roundRect.call(this, x, y, w, h, radii);
    };
    prototype.stroke = function (...path: unknown[]) {
      const color = getComputedStyle(document.documentElement).getPropertyValue("--match").trim();
      const last = drawn.at(-1);
      if (last?.texts.length === 0) last.marked ||= this.strokeStyle === color;
      Reflect.apply(stroke, this, path);
    };
    prototype.fillText = function (text, x, y) {
      if (this.canvas.id === "canvas") drawn.at(-1)?.texts.push(text);
      fillText.call(this, text, x, y);
    };
  });
  await playground.open("#example=decoder&open=layers.1");
  await playground.search.fill("op:silu module:layers.0");
  await page.keyboard.press("Enter");
  await expect(playground.row(/^silu/)).toHaveAttribute("aria-selected", "true");
  const marked = (): Promise<string[]> =>
    page.evaluate(() => {
      const { drawn } = window as unknown as { drawn: { marked: boolean; texts: string[] }[] };
      return drawn.filter((box) => box.marked).map(({ texts }) => texts.at(-1) ?? "");
    });
  await expect.poll(marked).toEqual(["silu"]);
});

test("parameters, operators, bytes and what is not known", async ({ playground, page }) => {
  await playground.open();
  await playground.search.fill("layers.0.self_attn.q_proj.weight");
  await expect(playground.matches.first()).toContainText("q_proj_weight");
  await playground.search.fill("bytes>1e9 -op:placeholder");
  await expect(playground.matches.first()).toContainText("linear_14");
  await playground.search.fill("op:silu->mul");
  await expect(playground.matches).toHaveCount(2);
  await playground.search.fill("is:foo");
  await expect(page.getByText("There is no is:foo")).toBeVisible();
  await expect(playground.search).toHaveAttribute("aria-invalid", "true");
});

test("goes to the next match and back", async ({ playground, page }) => {
  await playground.open();
  await playground.search.fill("op:aten.silu");
  await page.keyboard.press("Enter");
  await expect(playground.row(/^silu /)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("F3");
  await expect(playground.row(/^silu_1/)).toHaveAttribute("aria-selected", "true");
  await playground.stage.focus();
  await page.keyboard.press("Shift+N");
  await expect(playground.row(/^silu /)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("n");
  await expect(playground.row(/^silu_1/)).toHaveAttribute("aria-selected", "true");
  await expect(playground.live).toHaveText("Match 2 of 2");
});

test("every action of the page is a command", async ({ playground, page }) => {
  await playground.open("#example=decoder&select=linear");
  await page.keyboard.press("Control+k");
  await expect(playground.matches.filter({ hasText: "Export the picture as SVG" })).toBeVisible();
  await playground.search.fill("dtype bf");
  await expect(playground.matches).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("combobox", { name: "dtype" })).toHaveValue("bfloat16");
  await expect(playground.search).toHaveValue("");
  await page.keyboard.press("Control+k");
  await playground.search.fill("depth 2");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Depth 2" })).toHaveAttribute("aria-pressed", "true");
});

test("says when nothing matches", async ({ playground, page }) => {
  await playground.open();
  await playground.search.fill("no_such_thing");
  await expect(page.getByText("Nothing matches")).toBeVisible();
});

test("Enter counts when the list comes late and the user has gone on to another field", async ({
  playground,
  page,
}) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/search_box-*.js", async (route) => {
    await held;
    await route.continue();
  });
  await playground.open();
  await playground.search.fill("linear_14");
  await page.keyboard.press("Enter");
  await playground.batch.focus();
  release();
  await expect(playground.inspector.getByRole("heading", { name: "linear", exact: true })).toBeVisible();
  await expect(playground.batch).toBeFocused();
  await expect(page.locator("#search-results")).toBeHidden();
});
