import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, file, test, type Playground } from "./page.js";

async function exported({ page }: Playground, name: string): Promise<string> {
  const coming = page.waitForEvent("download");
  await page.getByText("Export", { exact: true }).click();
  await page.getByRole("button", { name }).click();
  return readFileSync(await (await coming).path()).toString();
}

test("all nodes as CSV and JSON, with shapes, bytes and FLOPs", async ({ playground }) => {
  await playground.open("#example=decoder&set=batch:4");
  await expect(playground.peak).toBeVisible();
  const lines = (await exported(playground, "All nodes as CSV")).split("\r\n");
  expect(lines[0]).toBe("index,name,op,module,value,dtype,shape,stride,device,storage,brings,alive,flops");
  expect(lines.find((line) => line.includes(",linear_14,"))).toContain('"[4, 2048, 128256]"');
  const { totals, nodes } = JSON.parse(await exported(playground, "All nodes as JSON")) as {
    totals: { peakNode: string; flops: number };
    nodes: { name: string; shape: number[]; flops: number }[];
  };
  expect(totals.peakNode).toBe("linear_14");
  expect(nodes.reduce((sum, { flops }) => sum + flops, 0)).toBe(totals.flops);
  expect(nodes.find(({ name }) => name === "linear_14")?.shape).toEqual([4, 2048, 128_256]);
});

test("the report is one file without scripts that opens from disk", async ({ playground, browser }) => {
  await playground.open("#example=decoder&set=batch:4");
  await expect(playground.peak).toBeVisible();
  const html = await exported(playground, "Report as one HTML file");
  expect(html).not.toMatch(/<script|<link|src=|href=/);
  const page = await browser.newPage();
  await page.setContent(html);
  await expect(page.getByRole("heading", { name: "decoder" })).toBeVisible();
  await expect(page.locator("body")).toContainText("batch 4");
  await expect(page.getByRole("row", { name: /^Peak .* at linear_14/ })).toBeVisible();
  await expect(page.getByRole("img", { name: "Memory over time" })).toBeVisible();
  await expect(page.locator(".picture svg")).toContainText("embed_tokens");
  await page.close();
});

test("the snippet for npm answers in Node what the page shows", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("llama.json.gz");
  await page.getByRole("combobox", { name: "dtype" }).selectOption("bfloat16");
  await expect(page).toHaveURL(/dtype=bfloat16/);
  const snippet = await exported(playground, "Snippet for npm");
  expect(snippet).toContain("npm install faketensor");
  // As beside an installed package: the built one.
  const folder = mkdtempSync(path.join(tmpdir(), "snippet-"));
  try {
    mkdirSync(path.join(folder, "node_modules"));
    symlinkSync(file("../../web/package"), path.join(folder, "node_modules/faketensor"));
    copyFileSync(file("llama.json.gz"), path.join(folder, "llama.json.gz"));
    writeFileSync(path.join(folder, "llama.json.gz.mjs"), snippet);
    const printed = execFileSync(process.execPath, ["llama.json.gz.mjs"], {
      cwd: folder,
      env: { ...process.env, FORCE_COLOR: "0" },
    }).toString();
    expect(printed).toContain("size: [ 2, 16, 256 ]");
    expect(printed).toContain("dtype: 'bfloat16'");
    expect(printed).toMatch(/peak \d+ bytes at \w+/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("Back and Forward go by decisions, without opening anything anew", async ({ playground, page }) => {
  await playground.open();
  await playground.batch.fill("4");
  await expect(page).toHaveURL(/set=batch:4/);
  await page.getByRole("button", { name: "Depth 1" }).click();
  await expect(page).toHaveURL(/depth=1/);
  await page.goBack();
  await expect(page.getByRole("button", { name: "Depth 1" })).toHaveAttribute("aria-pressed", "false");
  await expect(playground.batch).toHaveValue("4");
  await page.goBack();
  await expect(playground.batch).toHaveValue("2");
  await page.goForward();
  await expect(playground.batch).toHaveValue("4");
  expect(await page.evaluate(() => performance.getEntriesByName("graph-shown").length)).toBe(1);
});

test("a link says how deep all modules are open, in few letters", async ({ playground, page }) => {
  await playground.open("#example=decoder&depth=3");
  await expect(page.getByRole("button", { name: "Depth 3" })).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("button", { name: "Depth 2" }).click();
  await expect(page).toHaveURL(/#example=decoder&depth=2$/);
});

test("a file is there again after a reload, until it is forgotten", async ({ playground, page }) => {
  await playground.open();
  await playground.openFile("llama.json.gz");
  await expect(page.locator("#recent")).toBeVisible();
  await expect(page).toHaveURL(/file=llama\.json\.gz/);
  await page.reload();
  await playground.shown();
  await expect(page.locator("#file-name")).toHaveText("llama.json.gz");
  await page.getByText("Recent", { exact: true }).click();
  await page.getByRole("button", { name: "Forget these files" }).click();
  await expect(page.locator("#recent")).toBeHidden();
  await page.reload();
  await expect(playground.notice).toContainText("llama.json.gz, a file that only you have");
});
