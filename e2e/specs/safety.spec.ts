/** The engine's worker holds the user's bytes: it reaches no other host and turns no text into code. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { Playground, expect, test } from "./page.js";

const kRoot = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** Would answer any page that may ask it. */
class ForeignHost {
  asked = 0;
  private readonly server: Server = createServer((_request, response) => {
    this.asked++;
    response.writeHead(200, { "Access-Control-Allow-Origin": "*" }).end("hello");
  });

  async start(): Promise<string> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.server.close();
  }
}

/** A copy of the site on a server of its own; without `headers` a host that sends none. */
async function serve(headers: boolean): Promise<{ url: string; server: ChildProcess }> {
  const site = test.info().outputPath("site");
  cpSync(path.join(kRoot, "build/site"), site, { recursive: true });
  if (!headers) rmSync(path.join(site, "_headers"));
  appendFileSync(path.join(site, "engine.js"), `;(${reach.toString()})();`);
  writeFileSync(path.join(site, "probe.js"), "postMessage('started')");
  const server = spawn(process.execPath, [path.join(kRoot, "scripts/serve.mjs"), site, "0"]);
  const [said] = (await once(server.stdout, "data")) as [Buffer];
  const url = /http:\S+/.exec(said.toString())?.[0] ?? "";
  return { url, server };
}

/** Put behind the engine's own script: tells what can be done from there, when it is asked with an address. */
function reach(): void {
  const settled = (target: EventTarget, good: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      target.addEventListener(good, resolve);
      target.addEventListener("error", reject);
    });
  const requested = (url: string): Promise<unknown> => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.send();
    return settled(request, "load");
  };
  const ran = async (start: (code: string) => unknown): Promise<void> => {
    start("globalThis.ran = true");
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (!("ran" in globalThis)) throw new Error("it did not run");
  };
  const cached = async (caches: CacheStorage, url: string): Promise<void> => {
    await (await caches.open("probe")).add(url);
  };
  const memory = (code: string): string => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const nested = async (url: string): Promise<void> => {
    const worker = new Worker(
      memory(`fetch("${url}").then(() => postMessage("reached"), () => postMessage(""))`),
    );
    const { data } = (await settled(worker, "message")) as MessageEvent<string>;
    if (data === "") throw new Error("it is under the same policy");
  };
  const asynchronous = (async () => Promise.resolve()) as unknown as {
    constructor: (code: string) => unknown;
  };
  const { storageBuckets } = navigator as unknown as {
    storageBuckets: { open: (name: string) => Promise<{ caches: CacheStorage }> };
  };
  const code = "export default 1";
  const attemptsOn = (url: string): Record<string, () => unknown> => ({
    "own file": () => fetch(new URL("/icon.svg", location.origin)),
    fetch: () => fetch(url),
    request: () => requested(url),
    socket: () => settled(new WebSocket(url.replace("http", "ws")), "open"),
    events: () => settled(new EventSource(url), "open"),
    cache: () => cached(caches, url),
    bucket: async () => cached((await storageBuckets.open("probe")).caches, url),
    font: () => new FontFace("probe", `url(${url})`).load(),
    import: () => import(`${url}probe.js`),
    "import of text": () => import(`data:text/javascript,${code}`),
    "import from memory": () => import(memory(code)),
    worker: () => settled(new Worker(new URL("/probe.js", location.origin)), "message"),
    "worker from memory": () => nested(url),
    // eslint-disable-next-line no-new-func, @typescript-eslint/no-implied-eval -- whether it is refused
    function: () => new Function("return 1"),
    constructor: () => asynchronous.constructor("return 1"),
    eval: () => (0, eval)("1") as unknown,
    timer: () => ran((code) => setTimeout(code as unknown as () => void)),
  });
  const triedOut = async ([name, attempt]: [string, () => unknown]): Promise<[string, string]> => {
    try {
      await attempt();
      return [name, "done"];
    } catch {
      return [name, "refused"];
    }
  };
  addEventListener("message", ({ data: url }) => {
    if (typeof url !== "string") return;
    void Promise.all(Object.entries(attemptsOn(url)).map(triedOut)).then((entries) => {
      postMessage({ reach: Object.fromEntries(entries) as unknown });
    });
  });
}

/** What the engine's own worker can do once it has shown a program. */
async function reachOfEngine(page: Page, url: string, foreign: string): Promise<Record<string, string>> {
  await page.addInitScript(() => {
    const Started = Worker;
    window.Worker = class extends Started {
      constructor(script: string | URL, options?: WorkerOptions) {
        super(script, options);
        Object.assign(window, { startedWorker: this });
      }
    };
  });
  await page.goto(url);
  await new Playground(page).shown();
  // The first picture is a stored one: the engine's worker may come after it.
  await page.waitForFunction(() => "startedWorker" in window);
  return page.evaluate(
    (asked) =>
      new Promise<Record<string, string>>((resolve) => {
        const { startedWorker: engine } = window as unknown as { startedWorker: Worker };
        engine.addEventListener("message", ({ data }: MessageEvent<{ reach?: Record<string, string> }>) => {
          if (data.reach) resolve(data.reach);
        });
        engine.postMessage(asked);
      }),
    foreign,
  );
}

for (const headers of [true, false]) {
  const host = headers ? "a host that sends headers" : "a host that sends no headers";
  // Without the fixture that fails on violations: they are what is tried.
  test(`the engine reaches nobody on ${host}`, async ({ page }) => {
    const foreign = new ForeignHost();
    const { url, server } = await serve(headers);
    try {
      const { "own file": ownFile, ...others } = await reachOfEngine(page, url, await foreign.start());
      expect(ownFile).toBe("done");
      expect(Object.keys(others).length).toBeGreaterThan(10);
      expect(Object.entries(others).filter(([, became]) => became !== "refused")).toEqual([]);
      expect(foreign.asked).toBe(0);
    } finally {
      foreign.stop();
      server.kill();
    }
  });
}

test("the page starts no worker that its policy would not reach", async ({ page }) => {
  const { url, server } = await serve(false);
  try {
    await page.goto(url);
    const became = page.evaluate(
      () =>
        new Promise((resolve) => {
          const worker = new Worker("probe.js");
          worker.onmessage = ({ data }) => {
            resolve(data);
          };
          worker.onerror = () => {
            resolve("refused");
          };
        }),
    );
    expect(await became).toBe("refused");
  } finally {
    server.kill();
  }
});

test("what runs by itself comes with the policy that the page names, and no file is sniffed", async ({
  page,
}) => {
  await page.goto("./");
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  // A policy holds for documents and workers; other files run under that of who loads them.
  const running = ["", "index.html", "engine.js"];
  const files = ["playground.js", "faketensor.wasm", "faketensor-rest.wasm", "playground.css"];
  for (const path of [...running, ...files]) {
    const headers = (await page.request.get(`./${path}`)).headers();
    expect(headers["content-security-policy"], path).toBe(running.includes(path) ? policy : undefined);
    expect(headers["x-content-type-options"], path).toBe("nosniff");
  }
});
