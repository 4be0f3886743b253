/**
 * How fast the page is, measured in the browser's own timeline: `node e2e/measure/page.mjs [SITE]` (default build/site).
 *
 *   first picture    navigation to the first frame that shows the built-in example
 *   file shown       file chosen to the frame that shows its graph, at 5,000 nodes; then the same with every module open
 *   what-if          key in the field of the batch to the frame that shows the answer, at 1,500 nodes
 *   panning          intervals between animation frames while the picture is dragged, with every module open
 *   bytes            of everything the page loads, after brotli
 *
 * Figures depend on the machine and on what else runs there, so they are printed and not asserted.
 */
/* global document, window, KeyboardEvent, MutationObserver, requestAnimationFrame -- in functions that run in the page */
import { readFileSync, readdirSync, writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";
import { grownDecoder } from "./grow.mjs";
import { launch, root, serve } from "./site.mjs";

const site = path.resolve(process.argv[2] ?? path.join(root, "build/site"));

/** Time from `begin` to the end of the frame in which the page last said that a graph was shown. */
async function untilShown(page, count) {
  await page.waitForFunction(
    (wanted) => performance.getEntriesByName("graph-shown").length >= wanted,
    count,
    { timeout: 120_000 },
  );
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      }),
  );
}

async function firstPicture(context, url) {
  const page = await context.newPage();
  await page.goto(url);
  await untilShown(page, 1);
  const time = await page.evaluate(() => performance.getEntriesByName("graph-shown")[0].startTime);
  await page.close();
  return time;
}

async function openLarge(page, file) {
  await page.setInputFiles("#file", file);
  const end = await untilShown(page, 2);
  return end - (await page.evaluate(() => performance.getEntriesByName("open-begin").at(-1).startTime));
}

async function openAll(page) {
  const title = await page.locator("#graph-title").textContent();
  const begin = await page.evaluate(() => {
    const start = performance.now();
    document.querySelector(".depths button:last-child").click();
    return start;
  });
  await page.waitForFunction((old) => document.querySelector("#graph-title").textContent !== old, title, {
    polling: "raf",
  });
  const end = await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))),
  );
  return end - begin;
}

/** Milliseconds between animation frames while the mouse drags, and the time the page's own script takes in each. */
async function pan(page, zoom) {
  const box = await page.locator("#stage").boundingBox();
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  await page.evaluate((keys) => {
    for (const key of keys) window.dispatchEvent(new KeyboardEvent("keydown", { key }));
  }, zoom);
  await page.waitForTimeout(300);
  await page.evaluate(() => {
    const frames = [];
    window.measured = frames;
    const tick = (now) => {
      frames.push(now);
      if (frames.length < 600 && window.measured === frames) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 0; step < 120; step++) {
    await page.mouse.move(x + 90 * Math.sin(step / 9), y - step * 2.5);
    await page.waitForTimeout(8);
  }
  await page.mouse.up();
  const frames = await page.evaluate(() => {
    const measured = window.measured;
    window.measured = null;
    return measured;
  });
  const intervals = frames
    .slice(1)
    .map((time, i) => time - frames[i])
    .sort((a, b) => a - b);
  const at = (share) => intervals[Math.min(intervals.length - 1, Math.floor(intervals.length * share))];
  return {
    frames: intervals.length,
    median: at(0.5),
    p95: at(0.95),
    worst: at(1),
  };
}

/** Milliseconds from a key in the first size's field to the frame that shows what follows from it, sorted. */
async function whatIf(page) {
  return page.evaluate(async () => {
    const field = document.querySelector("#chips input");
    field.focus();
    const times = [];
    for (let i = 0; i < 20; i++) {
      const begin = performance.now();
      const answered = new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          observer.disconnect();
          resolve();
        }).observe(document.querySelector("#summary"), { childList: true });
      });
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true, cancelable: true }));
      await answered;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      times.push(performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    return times.sort((a, b) => a - b);
  });
}

function bytes(folder) {
  const files = readdirSync(folder, {
    recursive: true,
    withFileTypes: true,
  }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const content = readFileSync(path.join(entry.parentPath ?? entry.path, entry.name));
      return [entry.name, entry.name.endsWith(".gz") ? content.length : brotliCompressSync(content).length];
    }),
  );
}

const round = (value) => Math.round(value * 10) / 10;
const { server, url } = await serve(site);
const browser = await launch();
const context = await browser.newContext({
  viewport: { width: 1440, height: 900 },
});
try {
  const times = [];
  for (let i = 0; i < 3; i++) times.push(await firstPicture(context, url));
  console.log(`first picture: ${times.map(round).join(", ")} ms`);

  const folder = mkdtempSync(path.join(tmpdir(), "playground-measure-"));
  const small = path.join(folder, "decoder_1500.json");
  writeFileSync(small, grownDecoder(1_500));
  const edited = await context.newPage();
  await edited.goto(url);
  await untilShown(edited, 1);
  await openLarge(edited, small);
  const keys = await whatIf(edited);
  console.log(
    `1500 nodes: from key to frame ${round(keys[0])} ms at least, median ${round(keys[10])}, at most ${round(keys[19])} ms`,
  );
  await edited.close();
  for (const nodes of [5_000, 100_000]) {
    const file = path.join(folder, `decoder_${nodes}.json`);
    writeFileSync(file, grownDecoder(nodes));
    const page = await context.newPage();
    await page.goto(url);
    await untilShown(page, 1);
    console.log(`${nodes} nodes: shown ${round(await openLarge(page, file))} ms after the file was chosen`);
    console.log(`${nodes} nodes: every module open after another ${round(await openAll(page))} ms`);
    for (const [what, keys] of [
      ["readable", []],
      ["zoomed out", ["-", "-", "-", "-"]],
      ["whole graph", ["0"]],
    ]) {
      const { frames, median, p95, worst } = await pan(page, keys);
      console.log(
        `${nodes} nodes, ${what}: ${frames} frames, median ${round(median)}, 95 % ${round(p95)}, worst ${round(worst)} ms`,
      );
    }
    await page.close();
  }
} finally {
  await browser.close();
  server.kill();
}
const sizes = bytes(site);
const engine = (sizes["faketensor.wasm"] ?? 0) + (sizes["engine.js"] ?? 0);
const later = sizes["faketensor-rest.wasm"] ?? 0;
const all = Object.values(sizes).reduce((sum, size) => sum + size, 0);
console.log(`bytes after brotli: page ${all - engine - later}, engine ${engine}, later ${later}`, sizes);
