import { expect, test } from "./page.js";

test("opens on a finished example without any dialog", async ({ playground, page }) => {
  await playground.open();
  await expect(page.locator("#file-name")).toHaveText("decoder (example)");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByText("nothing is uploaded")).toBeVisible();
  await expect(page.locator("#problems-count")).toHaveText("No problems");
  await expect(playground.row(/^layers\.0 DecoderLayer/)).toBeVisible();
  await expect(playground.inspector).toContainText("PyTorch 2.13");
  await expect(page.locator("#summary")).toHaveText("140 values");
});

test("says nothing of a program before there is one", async ({ playground, page }) => {
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/decoder.json.gz", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("./");
  await expect(page.getByRole("button", { name: "Problems" }).first()).toHaveText("Problems");
  for (const name of ["Undo", "Redo"]) await expect(page.getByRole("button", { name })).toBeDisabled();
  answer();
  await playground.shown();
  await expect(page.locator("#problems-count")).toHaveText("No problems");
});

test("the canvas is not empty", async ({ playground, page }) => {
  await playground.open();
  const colors = await page.locator("#canvas").evaluate((canvas: HTMLCanvasElement) => {
    const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    const seen = new Set<number>();
    for (let i = 0; i < pixels.length; i += 4)
      seen.add(((pixels[i] ?? 0) << 16) | ((pixels[i + 1] ?? 0) << 8) | (pixels[i + 2] ?? 0));
    return seen.size;
  });
  expect(colors).toBeGreaterThan(20);
});

test("asks nothing of any other host", async ({ playground, page }) => {
  const hosts = new Set<string>();
  // The engine's worker starts from a blob of the page's own, which is no host.
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "blob:") hosts.add(url.host);
  });
  await playground.open();
  expect([...hosts]).toEqual([new URL(page.url()).host]);
});

test("ships a content security policy that names every source", async ({ page }) => {
  await page.goto("./");
  await expect(page.locator('meta[http-equiv="Content-Security-Policy"]')).toHaveAttribute(
    "content",
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'",
  );
});
