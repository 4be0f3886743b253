/**
 * What every spec works with: the page with a guard. A message on the console at level error, an exception or a violation
 * of the content security policy fails the test it happened in, whatever the test looked at.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import AxeBuilder from "@axe-core/playwright";
import { expect, test as base, type Locator, type Page } from "@playwright/test";

export { expect };

const kFiles = path.join(path.dirname(fileURLToPath(import.meta.url)), "../files");

/** A program with symbols s31, s9 and u0; the example that the page opens with. */
export const kPairs = "../../tests/golden/files/pairs.json";
export const kDecoder = "../../web/playground/examples/decoder.json.gz";

export function file(name: string): string {
  return path.join(kFiles, name);
}

/**
 * How often the page is asked, in ms. Playwright's own way asks at each frame, and makes the browser draw all of them: a tenth
 * of what it takes to open the page.
 */
const kPolling = { polling: 40 };

export class Playground {
  constructor(readonly page: Page) {}

  /** Opens the page and waits for its first picture, and for the engine, which the built-in example is shown without. */
  async open(hash = "", { engine = true } = {}): Promise<void> {
    await this.page.goto(`./${hash}`);
    await this.shown();
    if (engine)
      await this.page.waitForFunction(
        () => performance.getEntriesByName("engine-ready").length > 0,
        undefined,
        kPolling,
      );
  }

  /** Until a graph is on the canvas. `count`: how many have been shown since the page was opened. */
  async shown(count = 1): Promise<void> {
    await this.page.waitForFunction(
      (wanted) => performance.getEntriesByName("graph-shown").length >= wanted,
      count,
      kPolling,
    );
  }

  async openFile(name: string, count = 2): Promise<void> {
    await this.page.locator("#file").setInputFiles(file(name));
    await this.shown(count);
  }

  /** A program with symbols, and the keyboard in the field of the first. */
  async openSymbols(): Promise<void> {
    await this.open();
    await this.openFile(kPairs);
    await this.page.keyboard.press("s");
    await expect(this.symbol("s31")).toBeFocused();
  }

  /** A program with symbols, and the keyboard at what was assumed about them. */
  async openGuards(): Promise<void> {
    await this.open();
    await this.openFile(kPairs);
    await this.page.keyboard.press("g");
    await expect(this.guards).toBeVisible();
  }

  /** Opens bytes as a file of that name; does not wait. */
  async openBytes(name: string, bytes: Buffer): Promise<void> {
    await this.page.locator("#file").setInputFiles({
      name,
      mimeType: "application/octet-stream",
      buffer: bytes,
    });
  }

  /** Drops files on the window, as the browser would. */
  async drop(...names: string[]): Promise<void> {
    const files = names.map((name) => ({ name, bytes: [...readFileSync(file(name))] }));
    const data = await this.page.evaluateHandle((dropped) => {
      const transfer = new DataTransfer();
      for (const { name, bytes } of dropped) transfer.items.add(new File([new Uint8Array(bytes)], name));
      return transfer;
    }, files);
    await this.page.dispatchEvent("body", "dragenter", { dataTransfer: data });
    await this.page.dispatchEvent("body", "drop", { dataTransfer: data });
  }

  /** Drops a text as a file of that name. */
  async dropText(name: string, text: string): Promise<void> {
    const data = await this.page.evaluateHandle(
      ([named, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], named));
        return transfer;
      },
      [name, text] as const,
    );
    await this.page.dispatchEvent("body", "drop", { dataTransfer: data });
  }

  async paste(text: string): Promise<void> {
    await this.page.evaluate((pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    }, text);
  }

  /** From before the page is opened: what {@link names} tells. */
  async watchNames(): Promise<void> {
    await this.page.addInitScript(() => {
      const names: string[] = [];
      Object.assign(window, { names });
      const { prototype } = CanvasRenderingContext2D;
      // eslint-disable-next-line @typescript-eslint/unbound-method -- called on the same context below
      const { fillRect, fillText } = prototype;
      prototype.fillRect = function (x, y, w, h) {
        if (this.canvas.id === "canvas" && x === 0 && y === 0) names.length = 0;
        fillRect.call(this, x, y, w, h);
      };
      prototype.fillText = function (text, x, y) {
        const { width, height, id } = this.canvas;
        const at = this.getTransform().transformPoint({ x, y });
        if (id === "canvas" && at.x >= 0 && at.x < width && at.y >= 0 && at.y < height) names.push(text);
        fillText.call(this, text, x, y);
      };
    });
  }

  /**
   * What axe knows against the page as it stands, in light and in dark. One document, asked in place: the page has no frames.
   */
  async violations(): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of ["dark", "light"] as const) {
      await this.page.emulateMedia({ colorScheme });
      await expect(this.page.locator("html")).toHaveAttribute("data-theme", colorScheme);
      const axe = new AxeBuilder({ page: this.page }).options({ resultTypes: ["violations"] });
      const { violations } = await axe.setLegacyMode().analyze();
      for (const { id, nodes } of violations)
        found.push(
          ...nodes.map(
            (node) => `${colorScheme}: ${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`,
          ),
        );
    }
    return found;
  }

  /** The texts that begin in sight on the canvas. */
  async names(): Promise<string[]> {
    return this.page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return [...(window as unknown as { names: string[] }).names];
    });
  }

  get notice(): Locator {
    return this.page.getByRole("alert");
  }

  get tree(): Locator {
    return this.page.getByRole("tree", { name: "Outline" });
  }

  /** A row of the outline by the beginning of its text. */
  row(name: string | RegExp): Locator {
    return this.tree.getByRole("treeitem", { name }).first();
  }

  get inspector(): Locator {
    return this.page.getByRole("group", { name: "Inspector" });
  }

  /** The matches of the search. */
  get matches(): Locator {
    return this.page.getByRole("listbox", { name: "Matches" }).getByRole("option");
  }

  get stage(): Locator {
    return this.page.locator("#stage");
  }

  get search(): Locator {
    return this.page.getByRole("combobox", { name: "Search nodes" });
  }

  get batch(): Locator {
    return this.page.getByRole("textbox", { name: "Size of batch" });
  }

  /** The field of a symbol in the pane of symbols. */
  symbol(name: string): Locator {
    return this.page.getByRole("textbox", { name: `Set ${name}`, exact: true });
  }

  /** The bar that tells of long work. */
  get progress(): Locator {
    return this.page.locator("#progress");
  }

  get guards(): Locator {
    return this.inspector.getByRole("list", { name: "Guards on sizes" });
  }

  /** The guards that what is set breaks. */
  get brokenGuards(): Locator {
    return this.page.getByRole("list", { name: "Guards that do not hold" }).getByRole("button");
  }

  /** How many values there are, and what it took to have them. */
  get summary(): Locator {
    return this.page.locator("#summary");
  }

  /** What the what-if took for part of the example: how much of it, beside the summary. */
  get assumed(): Locator {
    return this.page.locator("#assumed");
  }

  /** The list of it, a line of code at a time. */
  get assumptions(): Locator {
    return this.page.getByRole("list", { name: "Assumed of the example" });
  }

  /** The line of that list that a site stands in. */
  assumption(site: string): Locator {
    return this.assumptions
      .locator("> li")
      .filter({ has: this.page.getByRole("button", { name: site, exact: true }) });
  }

  /** How many values are not as in the file; opens the list of them. */
  get changed(): Locator {
    return this.page.locator("#changed");
  }

  get changes(): Locator {
    return this.page.getByRole("list", { name: "Changed values" }).getByRole("button");
  }

  get literal(): Locator {
    return this.page.getByRole("switch", { name: "literal" });
  }

  /** Memory over time: a slider over the nodes. */
  get memory(): Locator {
    return this.page.getByRole("slider", { name: "Memory over time" });
  }

  /** The end of the sentence on top: which devices it fits. */
  get fits(): Locator {
    return this.page.locator("#fits");
  }

  /** What is alive at once at the most, and where; fades the graph to it. */
  get peak(): Locator {
    return this.page.locator("#peak");
  }

  get live(): Locator {
    return this.page.locator("#live");
  }
}

export const test = base.extend<{ playground: Playground }>({
  playground: async ({ page }, use) => {
    const faults: string[] = [];
    page.on("console", (message) => {
      // Said by the test's own setting (playwright.config.ts).
      if (message.text() === "Service Worker registration blocked by Playwright") return;
      if (message.type() === "error" || message.type() === "warning")
        faults.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => {
      faults.push(`exception: ${error.stack ?? error.message}`);
    });
    await page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
    await use(new Playground(page));
    if (faults.length > 0) throw new Error(faults.join("\n"));
  },
});
