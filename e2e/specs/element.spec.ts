/** `<fake-tensor-viewer>` in a page of another origin than its files, under that page's own strict policy. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, file, test } from "./page.js";
import { kRoot, serveFiles, type Host } from "./hosts.js";

const kDist = path.join(kRoot, "web/package/dist");
const kModel = path.join(path.dirname(fileURLToPath(import.meta.url)), "../files");

let cdn: Host;
let foreign: Host;

test.beforeAll(async () => {
  const anyone = { "Access-Control-Allow-Origin": "*" };
  cdn = await serveFiles({ faketensor: { folder: kDist }, models: { folder: kModel } }, anyone);
  const origin = new URL(cdn.url).origin;
  foreign = await serveFiles(
    {
      "": `<!doctype html><html lang="en"><title>A page of somebody else</title>
           <style-that-is-not-allowed></style-that-is-not-allowed>
           <fake-tensor-viewer src="${cdn.url}models/classifier.pt2" dims='{"batch": 6}'></fake-tensor-viewer>
           <script type="module" src="${cdn.url}faketensor/element.js"></script></html>`,
    },
    {
      "Content-Security-Policy": `default-src 'none'; script-src ${origin} 'wasm-unsafe-eval'; worker-src blob:; connect-src ${origin}`,
    },
  );
});

test.afterAll(() => {
  cdn.stop();
  foreign.stop();
});

/** Sets up what the events of the element tell, from before it is defined. */
async function open(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const told: { type: string; detail: unknown }[] = [];
    Object.assign(window, { told });
    for (const type of ["propagated", "nodeselect", "error"])
      window.addEventListener(
        type,
        (event) => {
          if (!(event.target instanceof HTMLElement) || event.target.localName !== "fake-tensor-viewer")
            return;
          const { detail } = event as CustomEvent<{ problems?: unknown } | null>;
          const message = event instanceof ErrorEvent ? event.message : undefined;
          told.push({ type, detail: message ?? detail?.problems ?? detail });
        },
        true,
      );
  });
  await page.goto(foreign.url);
}

type Told = { type: string; detail: unknown }[];
const told = (page: Page, type: string): Promise<unknown[]> =>
  page.evaluate(
    (wanted) =>
      (window as unknown as { told: Told }).told
        .filter((event) => event.type === wanted)
        .map(({ detail }) => detail),
    type,
  );

/** Until the element has shown its program: its engine is loaded from the other origin first. */
async function shown(page: Page): Promise<void> {
  await expect.poll(() => told(page, "propagated"), { timeout: 20_000 }).toHaveLength(1);
}

test("shows the picture, and nothing of the page's policy is in its way", async ({ playground, page }) => {
  await open(page);
  await shown(page);
  const viewer = page.locator("fake-tensor-viewer");
  await expect(
    viewer.getByRole("application", { name: /^Graph of .*classifier.pt2: \d+ values$/ }),
  ).toBeVisible();
  expect(await told(page, "propagated")).toEqual([[]]);
  // Ink: the canvas has more than its ground.
  const colors = await viewer.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
    const context = canvas.getContext("2d");
    const { data } = context?.getImageData(0, 0, canvas.width, canvas.height) ?? {
      data: new Uint8ClampedArray(),
    };
    return new Set(new Uint32Array(data.buffer)).size;
  });
  expect(colors).toBeGreaterThan(20);
  expect(playground).toBeDefined();
});

test("properties are what-ifs, and a program may be given itself", async ({ playground, page }) => {
  await open(page);
  await shown(page);
  const viewer = page.locator("fake-tensor-viewer");
  const sizes = (bytes: number[]): Promise<unknown> =>
    viewer.evaluate(async (element, given) => {
      const it = element as unknown as {
        graph: unknown;
        dims: unknown;
        dtype: string;
        addEventListener(type: string, listener: (event: CustomEvent) => void, options: object): void;
      };
      const done = new Promise<CustomEvent>((resolve) => {
        it.addEventListener("propagated", resolve, { once: true });
      });
      it.graph = new Uint8Array(given);
      it.dims = { batch: 3 };
      it.dtype = "bfloat16";
      const { detail } = (await done) as CustomEvent<{ run: { value(name: string): Promise<unknown> } }>;
      return detail.run.value("linear");
    }, bytes);
  const value = await sizes([...readFileSync(file("classifier.pt2"))]);
  expect(value).toMatchObject({ size: [3, 10], dtype: "bfloat16" });
  expect(await told(page, "propagated")).toHaveLength(2);
  expect(playground).toBeDefined();
});

test("nodes are selected by name, by pointer and by keys, and it says which", async ({
  playground,
  page,
}) => {
  await open(page);
  await shown(page);
  const viewer = page.locator("fake-tensor-viewer");
  const selected = await viewer.evaluate((element) =>
    ["linear", "no such node"].map((name) =>
      (element as unknown as { select(name: string): boolean }).select(name),
    ),
  );
  expect(selected).toEqual([true, false]);
  await expect
    .poll(() => told(page, "nodeselect"))
    .toEqual([
      {
        kind: "node",
        name: "linear",
        op: expect.stringContaining("linear"),
        row: expect.any(Number),
      },
    ]);
  await viewer.getByRole("application").focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => told(page, "nodeselect")).toHaveLength(2);
  await expect(viewer.getByRole("status")).not.toHaveText(/^linear,/);
  expect(playground).toBeDefined();
});

test("the report is the page's: one file without scripts", async ({ playground, page }) => {
  await open(page);
  await shown(page);
  const html = await page.locator("fake-tensor-viewer").evaluate(async (element) => {
    const report = await (element as unknown as { exportReport(): Promise<Blob> }).exportReport();
    return report.text();
  });
  expect(html).toContain("<svg");
  expect(html).toContain("batch 6");
  expect(html).not.toMatch(/<script|<link|src=/);
  expect(playground).toBeDefined();
});

test("what cannot be shown is said, inside and by an event", async ({ playground, page }) => {
  await open(page);
  await shown(page);
  const viewer = page.locator("fake-tensor-viewer");
  await viewer.evaluate((element) => {
    (element as unknown as { graph: string }).graph = "no program";
  });
  await expect.poll(() => told(page, "error")).toHaveLength(1);
  await expect(viewer.getByRole("alert")).toContainText("graph");
  expect(playground).toBeDefined();
});
