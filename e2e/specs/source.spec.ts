/** The source pane: the program as text, in step with the graph; typed programs; passes; what is saved. */
import { readFileSync } from "node:fs";
import { expect, test, type Playground } from "./page.js";

const kTyped = `def forward(self, x: "f32[2, 3]", w: "f32[4, 3]"):
    y = torch.ops.aten.linear.default(x, w)
    z = torch.ops.aten.relu.default(y)
    return (z,)
`;

async function openSource(playground: Playground, hash = ""): Promise<void> {
  await playground.open(hash);
  await playground.page.keyboard.press("u");
  await expect(editor(playground)).toContainText("class GraphModule");
}

const pane = ({ page }: Playground) => page.getByRole("region", { name: "Source" });
const editor = (playground: Playground) =>
  pane(playground).getByRole("textbox", { name: /^Program as text/ });
const status = ({ page }: Playground) => page.locator("#source-status");

/** Puts a text in the place of the whole program. */
async function type(playground: Playground, text: string): Promise<void> {
  const { page } = playground;
  await editor(playground).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

test("a key opens the program as text, with shapes at the ends of lines, and closes it", async ({
  playground,
  page,
}) => {
  await openSource(playground, "#example=decoder");
  await expect(pane(playground).locator(".cm-shape").first()).toHaveText(/\[/);
  await expect(status(playground)).toHaveText(/^\d+ nodes$/);
  await page.keyboard.press("Escape");
  await expect(page.locator("#stage")).toBeFocused();
  await page.keyboard.press("u");
  await expect(pane(playground)).toBeHidden();
});

test("the cursor selects the node of its line, and a selected node brings its line into view", async ({
  playground,
  page,
}) => {
  await openSource(playground, "#example=decoder");
  await editor(playground).getByText("embedding:").first().click();
  await expect(playground.inspector).toContainText("embedding");
  await playground.search.fill("linear_14");
  await expect(playground.matches.first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(pane(playground).locator(".cm-node-line")).toContainText("linear_14");
});

test("what is typed is propagated, errors stand at their line and column, and it is undone", async ({
  playground,
  page,
}) => {
  await openSource(playground);
  await type(playground, kTyped);
  await expect(status(playground)).toHaveText("5 nodes, edited");
  await expect(pane(playground).locator(".cm-shape").nth(1)).toHaveText(/\[2, ?4\]/);
  await type(playground, kTyped.replace("relu.default(y)", "relu.default(nobody)"));
  await expect(status(playground)).toHaveText(/^1 error: line 3, column \d+: nobody is not defined/);
  await expect(pane(playground).locator(".cm-lintRange-error")).toHaveText("nobody");
  await type(playground, kTyped.replace("(x, w)", "(x, x.view(5))"));
  await expect(status(playground)).toHaveText(/^\d errors?: line 2/);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(status(playground)).toHaveText(/nobody is not defined/);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(status(playground)).toHaveText("5 nodes, edited");
});

test("a text that holds no program says so, and what was shown stays", async ({ playground }) => {
  await openSource(playground);
  await type(playground, "hello");
  await expect(status(playground)).toHaveText(/neither a .pt2 archive nor/);
  await expect(status(playground)).toHaveClass(/has-errors/);
});

test("the cursor stays where somebody types", async ({ playground, page }) => {
  await openSource(playground);
  await type(playground, kTyped);
  await editor(playground).getByText("linear.default").click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("    q");
  await expect(status(playground)).toHaveText(/^1 error: line 5/);
  await page.keyboard.type(" = z");
  await expect(status(playground)).not.toHaveText(/q is not defined/);
  expect(await editor(playground).innerText()).toMatch(/q = z$/);
});

test("what is typed while the program still tells its text is not overwritten", async ({
  playground,
  page,
}) => {
  // The engine hears late: of a program 600 ms, of a question for its text 300 ms.
  await page.addInitScript(() => {
    const { prototype } = Worker;
    const { postMessage } = prototype as { postMessage: (message: unknown) => void };
    Object.assign(prototype, {
      postMessage(this: Worker, message: { call?: string; args?: { asked?: { question?: string } } }) {
        const isText = message.args?.asked?.question === "program.source";
        const late = message.call === "open" ? 600 : isText ? 300 : 0;
        setTimeout(() => {
          postMessage.call(this, message);
        }, late);
      },
    });
  });
  await openSource(playground);
  await type(playground, kTyped);
  await playground.shown(2);
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("    q");
  await expect(status(playground)).toHaveText(/^1 error: line 5/);
  await page.keyboard.type(" = z");
  await expect(editor(playground)).toContainText("q = z");
});

test("a short text is part of the link", async ({ playground, page }) => {
  await openSource(playground);
  await type(playground, kTyped);
  await expect(page).toHaveURL(/code=/);
  const { hash } = new URL(page.url());
  await page.goto("about:blank");
  await playground.open(hash);
  await expect(status(playground)).toHaveText("5 nodes, edited");
  await expect(editor(playground)).toContainText("torch.ops.aten.linear.default(x, w)");
});

test("operators complete, with their schema", async ({ playground, page }) => {
  await openSource(playground);
  await type(playground, kTyped.replace("    return", "    q =\n    return"));
  await page.keyboard.press("ControlOrMeta+Home");
  await editor(playground).getByText("q =", { exact: false }).last().click();
  await page.keyboard.press("End");
  await page.keyboard.type(" torch.ops.aten.softpl");
  const options = pane(playground).getByRole("option");
  await expect(options.first()).toHaveText("torch.ops.aten.softplus.default");
  await expect(pane(playground).locator(".cm-completionInfo")).toContainText("softplus(Tensor self");
  // So that no Enter which was meant for the text takes an option, the editor waits 75 ms.
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  await expect(editor(playground)).toContainText("q = torch.ops.aten.softplus.default");
});

test("hovering a name tells everything about its value", async ({ playground }) => {
  await openSource(playground, "#example=decoder");
  await editor(playground)
    .getByText("embedding:")
    .first()
    .hover({ position: { x: 80, y: 8 } });
  const card = pane(playground).locator(".cm-value");
  await expect(card).toContainText("stride");
  await expect(card).toContainText("float32");
});

test("passes change the program, mark the lines, are taken back and saved", async ({ playground, page }) => {
  await openSource(playground, "#example=decoder");
  await page.getByRole("button", { name: "Passes" }).click();
  await page.getByRole("textbox", { name: /^Passes/ }).fill("run_decompositions, dce");
  await page.keyboard.press("Enter");
  await expect(page.locator("#source-passes p")).toHaveText(
    /run_decompositions, dce: \d+ new lines, \d+ gone/,
  );
  await expect(pane(playground).locator(".cm-deletedChunk").first()).toBeVisible();
  await expect(pane(playground).locator(".cm-changedLine").first()).toBeVisible();
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  const json = readFileSync(await (await coming).path(), "utf8");
  expect(json).toContain("aten.mm.default");
  expect(json).not.toContain("aten.linear.default");
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(editor(playground)).toContainText("class GraphModule");
  await expect(pane(playground).locator(".cm-deletedChunk")).toHaveCount(0);
});

test("in a wide window what passes changed stands beside what was", async ({ playground, page }) => {
  await page.setViewportSize({ width: 1920, height: 1000 });
  await openSource(playground, "#example=decoder");
  await page.getByRole("button", { name: "Passes" }).click();
  await page.getByRole("textbox", { name: /^Passes/ }).fill("run_decompositions");
  await page.keyboard.press("Enter");
  const before = pane(playground).locator(".cm-merge-a");
  const after = pane(playground).locator(".cm-merge-b");
  await expect(before.locator(".cm-changedLine").first()).toContainText("aten.linear.default");
  await expect(after.locator(".cm-changedLine").first()).toBeVisible();
  const left = await before.boundingBox();
  const right = await after.boundingBox();
  expect(left && right && left.x + left.width <= right.x + 1 && right.width > 400).toBe(true);
  await page.getByRole("button", { name: "Take back" }).click();
  await expect(before).toHaveCount(0);
  await expect(editor(playground)).toContainText("class GraphModule");
});

test("passes of an archive are saved with its weights, a wrong name is refused", async ({
  playground,
  page,
}) => {
  await openSource(playground);
  await playground.openFile("classifier.pt2");
  await page.getByRole("button", { name: "Passes" }).click();
  await page.getByRole("textbox", { name: /^Passes/ }).fill("abacus");
  await page.keyboard.press("Enter");
  await expect(page.locator("#source-passes p")).toHaveText(/no pass is called 'abacus'/);
  await page.getByRole("textbox", { name: /^Passes/ }).fill("run_decompositions");
  await page.keyboard.press("Enter");
  await expect(page.locator("#source-passes p")).toHaveText(/run_decompositions: \d+ new line/);
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: ".pt2" }).click();
  const bytes = readFileSync(await (await coming).path());
  expect(bytes.subarray(0, 2).toString()).toBe("PK");
  expect(bytes.length).toBeGreaterThan(20_000);
});

test("axe knows no violation with source and passes open", async ({ playground, page }) => {
  await openSource(playground, "#example=decoder");
  await page.getByRole("button", { name: "Passes" }).click();
  expect(await playground.violations()).toEqual([]);
});
