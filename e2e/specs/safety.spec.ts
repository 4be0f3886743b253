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
  writeFileSync(path.join(site, "probe.js"), `onmessage = ${probe.toString()};`);
  const server = spawn(process.execPath, [path.join(kRoot, "scripts/serve.mjs"), site, "0"]);
  const [said] = (await once(server.stdout, "data")) as [Buffer];
  const url = /http:\S+/.exec(said.toString())?.[0] ?? "";
  return { url, server };
}

/** In a worker without any guard of ours: tries both, and posts what became of them. */
function probe({ data }: MessageEvent<string>): void {
  let evaluated = false;
  try {
    evaluated = Boolean(new Function("return true")());
  } catch {
    // That is what is hoped for.
  }
  fetch(data).then(
    () => {
      postMessage({ evaluated, fetched: true });
    },
    () => {
      postMessage({ evaluated, fetched: false });
    },
  );
}

/** Put behind the engine's own script: tells what can be done from there, when it is asked with an address. */
function reach(): void {
  const failure = async (attempt: () => unknown): Promise<string> => {
    try {
      await attempt();
      return "done";
    } catch (error) {
      return error instanceof Error ? error.name : String(error);
    }
  };
  const asynchronous = (async () => Promise.resolve()) as unknown as {
    constructor: (code: string) => unknown;
  };
  addEventListener("message", ({ data: url }) => {
    if (typeof url !== "string") return;
    const attempts: Record<string, () => unknown> = {
      fetch: () => fetch(url),
      own: () => fetch(new URL("icon.svg", location.href)),
      request: () => new XMLHttpRequest(),
      socket: () => new WebSocket(url.replace("http", "ws")),
      worker: () => new Worker("probe.js"),
      function: () => new Function("return 1"),
      constructor: () => asynchronous.constructor("return 1"),
      eval: () => (0, eval)("1"),
      timer: () => setTimeout("1" as unknown as () => void),
    };
    const results = Object.entries(attempts).map(async ([name, attempt]) => [name, await failure(attempt)]);
    void Promise.all(results).then((entries) => {
      postMessage({ reach: Object.fromEntries(entries) as unknown });
    });
  });
}

/** What the engine's own worker can do once it has shown a program. */
async function reachOfEngine(page: Page, url: string, foreign: string): Promise<unknown> {
  await page.addInitScript(() => {
    const Started = Worker;
    window.Worker = class extends Started {
      constructor(script: string | URL, options?: WorkerOptions) {
        super(script, options);
        Object.assign(window, { engine: this });
      }
    };
  });
  await page.goto(url);
  await new Playground(page).shown();
  return page.evaluate(
    (asked) =>
      new Promise((resolve) => {
        const { engine } = window as unknown as { engine: Worker };
        engine.addEventListener("message", ({ data }) => {
          if (data.reach) resolve(data.reach);
        });
        engine.postMessage(asked);
      }),
    foreign,
  );
}

const kConfined = {
  fetch: "TypeError",
  own: "done",
  request: "TypeError",
  socket: "TypeError",
  worker: "TypeError",
  function: "EvalError",
  constructor: "EvalError",
  eval: "EvalError",
  timer: "EvalError",
};

for (const headers of [true, false]) {
  const host = headers ? "a host that sends headers" : "a host that sends no headers";
  // Without the fixture that fails on violations: they are what is tried.
  test(`the engine reaches nobody on ${host}`, async ({ page }) => {
    const foreign = new ForeignHost();
    const { url, server } = await serve(headers);
    try {
      expect(await reachOfEngine(page, url, await foreign.start())).toEqual(kConfined);
      expect(foreign.asked).toBe(0);
    } finally {
      foreign.stop();
      server.kill();
    }
  });
}

test("the policy reaches every worker by its headers", async ({ page }) => {
  const foreign = new ForeignHost();
  const { url, server } = await serve(true);
  try {
    const address = await foreign.start();
    await page.goto(url);
    const result = await page.evaluate(
      (asked) =>
        new Promise((resolve) => {
          const worker = new Worker("probe.js");
          worker.onmessage = ({ data }) => {
            resolve(data);
          };
          worker.postMessage(asked);
        }),
      address,
    );
    expect(result).toEqual({ evaluated: false, fetched: false });
    expect(foreign.asked).toBe(0);
  } finally {
    foreign.stop();
    server.kill();
  }
});

test("every file comes with the policy that the page names", async ({ page }) => {
  await page.goto("./");
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
  for (const path of ["", "playground.js", "engine.js", "faketensor.wasm", "playground.css"]) {
    const response = await page.request.get(`./${path}`);
    expect(response.headers()["content-security-policy"], path).toBe(policy);
    expect(response.headers()["x-content-type-options"], path).toBe("nosniff");
  }
});
