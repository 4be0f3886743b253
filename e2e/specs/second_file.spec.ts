/** The engine's second file: the first picture does without, and an operator that few programs have brings it. */
import { expect, test } from "./page.js";

const kSecondFile = "faketensor-rest.wasm";

test("the first picture comes without the engine's second file, which is there when nothing else is to do", async ({
  playground,
  page,
}) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const second = page.waitForResponse(`**/${kSecondFile}`);
  await playground.open();
  expect(asked.filter((url) => url.endsWith("/faketensor.wasm"))).toHaveLength(1);
  expect(asked.filter((url) => url.endsWith(kSecondFile))).toEqual([]);
  expect((await second).ok()).toBe(true);
});

test("a program with an operator that few have is answered as soon as it is opened", async ({
  playground,
  page,
}) => {
  const second = page.waitForResponse(`**/${kSecondFile}`);
  await playground.open();
  await playground.openFile("../../tests/conformance/data/versions/2.11.0/eig1.pt2");
  expect((await second).ok()).toBe(true);
  await page.keyboard.press("2");
  await playground.row(/^linalg_eig/).click();
  await expect(playground.inspector).toContainText("c64[4, 4]");
});
