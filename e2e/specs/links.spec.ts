import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, file, kDecoder, test } from "./page.js";

/** The decoder of the example as a file of that name: most exports are called model.pt2. */
function decoder(): Buffer {
  return gunzipSync(readFileSync(file(kDecoder)));
}

test("a second file of the same name opens as it is, whatever was changed in the first", async ({
  playground,
  page,
}) => {
  await playground.open();
  await playground.openBytes("model.pt2", decoder());
  await playground.shown(2);
  await playground.batch.fill("64");
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await playground.row(/^input_ids/).click();
  await expect(page).toHaveURL(/file=model\.pt2&set=batch:64&depth=1&select=input_ids/);
  await playground.openBytes("model.pt2", readFileSync(file("classifier.pt2")));
  await playground.shown(3);
  await expect(playground.notice).toBeHidden();
  await expect(page).toHaveURL(/#file=model\.pt2$/);
  await playground.openBytes("model.pt2", decoder());
  await playground.shown(4);
  await expect(playground.batch).toHaveValue("2");
});

test("a link of a file asks for the file, keeps its address, and is applied to the first such file", async ({
  playground,
  page,
}) => {
  const hash = "#file=model.json&set=batch:5&dtype=bfloat16&open=layers.1&select=/layers.1.mlp";
  await playground.open(hash);
  await expect(playground.notice).toContainText("model.json");
  await expect(playground.notice).toContainText("Open it again");
  await expect(page.locator("#file-name")).toHaveText("decoder (example)");
  await playground.row(/^input_ids/).click();
  await page.reload();
  await playground.shown();
  expect(new URL(page.url()).hash).toBe(hash);
  await playground.openBytes("model.json", decoder());
  await playground.shown(2);
  await expect(playground.notice).toBeHidden();
  await expect(playground.batch).toHaveValue("5");
  await expect(playground.row(/^mlp MLP/)).toHaveAttribute("aria-selected", "true");
  await expect(page).toHaveURL(/#file=model\.json&set=batch:5/);
  await playground.openBytes("model.json", decoder());
  await playground.shown(3);
  await expect(playground.batch).toHaveValue("2");
});

test("a link of a file that is pasted into the address waits as well", async ({ playground, page }) => {
  await playground.open();
  await page.evaluate(() => {
    location.hash = "#file=model.json&set=batch:5";
  });
  await expect(playground.notice).toContainText("model.json");
  await playground.openFile("classifier.pt2");
  await expect(page).toHaveURL(/#file=classifier\.pt2/);
  await playground.openBytes("model.json", decoder());
  await playground.shown(3);
  await expect(playground.batch).toHaveValue("5");
});

test("a link is not lost where the page's own address comes before its event", async ({
  playground,
  page,
}) => {
  await playground.open();
  await page.evaluate(() => {
    location.hash = "#file=model.json&set=batch:5";
    history.replaceState({ own: true }, "", "#example=decoder"); // as the address bar writes it, a moment too late
  });
  await expect(playground.notice).toContainText("model.json");
  await expect(page).toHaveURL(/#file=model\.json&set=batch:5$/);
});

test("a link that is pasted when the address is about to follow the page is not lost", async ({
  playground,
  page,
}) => {
  await playground.open();
  await page.evaluate(() => {
    // Longer than the address waits for the user to pause: it is due, and comes before the event of the new link.
    const end = performance.now() + 600;
    while (performance.now() < end);
    location.hash = "#file=model.json&set=batch:5";
  });
  await expect(playground.notice).toContainText("model.json");
  await expect(page).toHaveURL(/#file=model\.json&set=batch:5$/);
  await playground.openBytes("model.json", decoder());
  await playground.shown(2);
  await expect(playground.batch).toHaveValue("5");
});

const kBroken: [link: string, told: string[]][] = [
  ["dtype=float31", ["dtype=float31"]],
  ["device=tpu", ["device=tpu"]],
  ["set=nope:3", ["set=nope:3"]],
  ["set=batch:lots", ["set=batch:lots"]],
  ["set=batch:2..4", ["set=batch:2..4"]],
  ["open=layers.9&select=nobody", ["open=layers.9", "select=nobody"]],
  ["at=x,y,1", ["at=x,y,1"]],
];

for (const [link, told] of kBroken) {
  test(`a link with ${link} opens, and says what did not fit`, async ({ playground, page }) => {
    await playground.watchNames();
    await playground.open(`#example=decoder&${link}`);
    await expect(page.locator("#file-name")).toHaveText("decoder (example)");
    for (const part of told) await expect(playground.notice).toContainText(part);
    await expect(playground.batch).toHaveValue("2");
    await expect(page.locator("#problems-count")).toHaveText("No problems");
    expect((await playground.names()).length).toBeGreaterThan(0);
  });
}

test("what fits of a broken link is applied", async ({ playground, page }) => {
  await playground.open("#example=decoder&set=batch:3,nope:3&dtype=float31&device=cuda");
  await expect(playground.notice).toContainText("set=nope:3");
  await expect(playground.notice).toContainText("dtype=float31");
  await expect(playground.batch).toHaveValue("3");
  await expect(page).toHaveURL(/set=batch:3&device=cuda$/);
});

test("an example that there is not is said to be missing", async ({ playground }) => {
  await playground.open("#example=nope&set=batch:3");
  await expect(playground.notice).toContainText("There is no example nope");
  await expect(playground.batch).toHaveValue("2");
});

for (const at of ["0,0,1e9", "1e308,0,1", "-1e308,1e308,1e308", "0,0,1e-300", "1e6,1e6,1"]) {
  test(`a link that looks at ${at} shows a picture`, async ({ playground, page }) => {
    await playground.open(`#example=decoder&at=${at}`);
    const colors = await page.locator("#canvas").evaluate((canvas: HTMLCanvasElement) => {
      const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return new Set(new Uint32Array(new Uint8Array(pixels).buffer)).size;
    });
    expect(colors).toBeGreaterThan(3);
  });
}
