/** The page without a network: kept by a service worker, renewed as a whole, and asked again where something is missing. */
import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";
import { Playground, expect, test } from "./page.js";
import { kRoot, serveSite } from "./hosts.js";

test.use({ serviceWorkers: "allow" });

/** Until everything is in the browser's store and the worker answers for the page. */
async function kept(page: Page): Promise<void> {
  await page.waitForFunction(async () => {
    const { active } = await navigator.serviceWorker.ready;
    return active?.state === "activated" && navigator.serviceWorker.controller !== null;
  });
}

test("a page that was open once opens without a network, with its engine", async ({
  playground,
  page,
  context,
}) => {
  await playground.open();
  await kept(page);
  await context.setOffline(true);
  await page.reload();
  await playground.shown();
  await playground.batch.fill("16");
  await expect(playground.changed).toContainText(/of 1\d\d changed/);
  await playground.search.fill("silu");
  await expect(playground.matches.first()).toBeVisible();
  await page.locator("#examples summary").click();
  await page.getByRole("button", { name: /ResNet-18/ }).click();
  await expect(page).toHaveTitle(/vision/);
  await context.setOffline(false);
});

test("a new version is fetched whole, told, and shown by the next load", async ({ page }) => {
  const site = test.info().outputPath("site");
  cpSync(path.join(kRoot, "build/site"), site, { recursive: true });
  const host = await serveSite(site);
  try {
    await page.goto(host.url);
    await new Playground(page).shown();
    await kept(page);
    // The build would write the worker anew, with the hash of what changed.
    const icon = path.join(site, "icon.svg");
    const hash = (): string => createHash("sha256").update(readFileSync(icon)).digest("hex").slice(0, 16);
    const before = hash();
    appendFileSync(icon, "<!-- newer -->");
    const worker = path.join(site, "service-worker.js");
    writeFileSync(worker, readFileSync(worker, "utf8").replaceAll(before, hash()) + "\n// newer");
    const version = await page.evaluate(async () => (await caches.keys()).join());
    writeFileSync(worker, readFileSync(worker, "utf8").replace(version, "faketensor-newer"));
    const text = readFileSync(worker, "utf8");
    writeFileSync(worker, text.replaceAll(version.replace("faketensor-", ""), "newer"));
    await page.reload();
    const notice = page.getByRole("alert");
    await expect(notice).toContainText("A newer version of this page is here");
    // The old page shows its graph until the new worker has taken over.
    const loaded = page.waitForEvent("load");
    await notice.getByRole("button", { name: "Reload" }).click();
    await loaded;
    await new Playground(page).shown();
    expect(await page.evaluate(async () => (await caches.keys()).at(-1))).toBe("faketensor-newer");
    expect(await page.evaluate(async () => (await fetch("icon.svg")).text())).toContain("newer");
  } finally {
    host.stop();
  }
});

test("where the address is another page's now, this one takes itself away", async ({ page }) => {
  const site = test.info().outputPath("site");
  cpSync(path.join(kRoot, "build/site"), site, { recursive: true });
  const other = test.info().outputPath("other");
  const host = await serveSite(site);
  const { port } = new URL(host.url);
  await page.goto(host.url);
  await new Playground(page).shown();
  await kept(page);
  host.stop();
  cpSync(path.join(kRoot, "docs"), other, { recursive: true });
  writeFileSync(path.join(other, "index.html"), "<!doctype html><title>Another page</title>");
  const next = await serveSite(other, port);
  try {
    await page.goto(next.url);
    await expect
      .poll(async () => {
        await page.reload();
        return page.title();
      })
      .toBe("Another page");
  } finally {
    next.stop();
  }
});

test("without the engine the example is shown, and the engine is tried again when asked", async ({
  page,
}) => {
  await page.route("**/faketensor.wasm", (route) => route.fulfill({ status: 503, body: "busy" }));
  const playground = new Playground(page);
  await playground.open("", { engine: false });
  await expect(playground.tree).toContainText("embed_tokens");
  await expect(playground.notice).toContainText("faketensor.wasm: the server answered 503");
  await page.unroute("**/faketensor.wasm");
  await playground.notice.getByRole("button", { name: "Try again" }).click();
  await expect(playground.notice).toBeHidden();
  await playground.batch.fill("4");
  await expect(playground.changed).toContainText("changed");
});

test("while the engine is loaded the page says how much of it is there", async ({ page }) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/faketensor.wasm", async (route) => {
    await held;
    await route.continue();
  });
  const playground = new Playground(page);
  await playground.open("", { engine: false });
  // The picture is there before the engine, with bytes and the way of sizes.
  await expect(playground.peak).toBeVisible();
  await playground.batch.fill("4");
  await expect(page.locator("#progress-text")).toHaveText(/Answering/);
  release();
  await expect(playground.changed).toContainText("changed");
  await expect(page.locator("#engine")).toBeHidden();
});
