import { existsSync } from "node:fs";
import { expect, file, test, type Playground } from "./page.js";

const kModels = "../../../shared/conformance/models";

/** A cond in a cond, as torch.export's print_readable() writes it. */
const kBranches = `class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[8, 3]", weight: "f32[3, 3]"):
        sum_1: "f32[]" = torch.ops.aten.sum.default(x)
        gt: "b8[]" = torch.ops.aten.gt.Scalar(sum_1, 0)
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(gt, true_graph_0, false_graph_0, (x, weight));  true_graph_0 = false_graph_0 = None
        getitem: "f32[8, 3]" = cond[0]
        relu: "f32[8, 3]" = torch.ops.aten.relu.default(getitem)
        return (relu,)

    class true_graph_0(torch.nn.Module):
        def forward(self, x: "f32[8, 3]", weight: "f32[3, 3]"):
            mm: "f32[8, 3]" = torch.ops.aten.mm.default(x, weight)
            sin: "f32[8, 3]" = torch.ops.aten.sin.default(mm)
            return (sin,)

    class false_graph_0(torch.nn.Module):
        def forward(self, x: "f32[8, 3]", weight: "f32[3, 3]"):
            any_1: "b8[]" = torch.ops.aten.any.default(x)
            true_graph_1 = self.true_graph_1
            false_graph_1 = self.false_graph_1
            cond_1 = torch.ops.higher_order.cond(any_1, true_graph_1, false_graph_1, (x,));  true_graph_1 = false_graph_1 = None
            getitem_1: "f32[8, 3]" = cond_1[0]
            return (getitem_1,)

        class true_graph_1(torch.nn.Module):
            def forward(self, x: "f32[8, 3]"):
                tanh: "f32[8, 3]" = torch.ops.aten.tanh.default(x)
                return (tanh,)

        class false_graph_1(torch.nn.Module):
            def forward(self, x: "f32[8, 3]"):
                exp: "f32[8, 3]" = torch.ops.aten.exp.default(x)
                return (exp,)
`;

/** Opens it with everything closed. */
async function openBranches(playground: Playground): Promise<void> {
  await playground.watchNames();
  await playground.open();
  await playground.openBytes("branches.txt", Buffer.from(kBranches));
  await playground.shown(2);
  await playground.page.getByRole("button", { name: "Depth 0" }).click();
}

test("the branches of a cond open like modules, in outline and picture, and show their own values", async ({
  playground,
  page,
}) => {
  await openBranches(playground);
  const call = playground.row(/^cond/);
  await expect(call).toHaveAttribute("aria-expanded", "false");
  await call.dblclick();
  await expect(call).toHaveAttribute("aria-expanded", "true");
  await expect.poll(() => playground.names()).toContain("true_graph_0");
  // By keys into a branch, and into the branch of a branch.
  await playground.row(/^false_graph_0/).click();
  await page.keyboard.press("ArrowRight");
  await playground.row(/^cond_1/).click();
  await page.keyboard.press("ArrowRight");
  await playground.row(/^true_graph_1/).click();
  await page.keyboard.press("ArrowRight");
  await playground.row(/^tanh/).click();
  await expect(playground.inspector).toContainText("size[8, 3]");
  await expect.poll(() => playground.names()).toContain("tanh");
  // Another batch reaches the innermost graph.
  await page.getByRole("textbox", { name: "Size of dim 0 (x)" }).fill("16");
  await expect(playground.inspector).toContainText("size[16, 3]");
});

test("search finds what is in a branch, Enter opens the way there, and a link keeps it", async ({
  playground,
  page,
}) => {
  await openBranches(playground);
  await playground.search.fill("exp");
  await expect(playground.matches.first()).toContainText("false_graph_1/exp");
  await page.keyboard.press("Enter");
  await expect(playground.row(/^exp/)).toHaveAttribute("aria-selected", "true");
  await expect.poll(() => playground.names()).toContain("exp");
  await expect(page).toHaveURL(/false_graph_1/);
  await page.keyboard.press("Control+z");
});

test("an error inside a branch stands at its node, and the call is not reached", async ({ playground }) => {
  await playground.open();
  const wrong = kBranches.replace("aten.mm.default(x, weight)", "aten.mm.default(weight, x)");
  await playground.openBytes("wrong.txt", Buffer.from(wrong));
  await playground.shown(2);
  await expect(playground.summary).toContainText("1 error");
  await playground.page.locator("#problems").getByRole("button", { name: /mm/ }).first().click();
  await expect(playground.row(/^mm/)).toBeVisible();
  await expect(playground.inspector).toContainText("a and b must have same reduction dim");
});

test("recorded programs: both branches of a cond, and the body of a map", async ({ playground, page }) => {
  test.skip(!existsSync(file(`${kModels}/cond_mlp/static.json.gz`)), "needs the shared models");
  await playground.watchNames();
  await playground.open();
  await playground.openFile(`${kModels}/cond_mlp/static.json.gz`);
  await playground.stage.focus();
  await page.keyboard.press("3");
  await expect(playground.row(/^true_graph_0/)).toHaveAttribute("aria-expanded", "true");
  await expect(playground.row(/^false_graph_0/)).toHaveAttribute("aria-expanded", "true");
  await expect(playground.summary).not.toContainText("error");
  await playground.openFile(`${kModels}/map_mlp/dynamic.json.gz`, 3);
  await playground.stage.focus();
  await page.keyboard.press("3");
  await expect(playground.row(/^map_impl/)).toHaveAttribute("aria-expanded", "true");
  await expect(playground.summary).not.toContainText("error");
});
