/**
 * The page's content security policy for the engine's worker, which holds the user's bytes. The policy in index.html does not
 * reach a worker: a worker's own comes with its script, from hosts that send headers (build.mjs writes them into `_headers`).
 * On any other host this holds it. The build puts it before the engine: it takes away what reaches other hosts and what
 * turns text into code, of which the engine needs nothing.
 */
const scope = globalThis as unknown as Record<string, unknown>;

/** Each can ask another host for something; `Worker` is a way to have them all back. */
const kConnecting = [
  "XMLHttpRequest",
  "WebSocket",
  "WebSocketStream",
  "WebTransport",
  "EventSource",
  "FontFace",
  "fonts",
  "caches",
  "importScripts",
  "Worker",
  "SharedWorker",
];

function replace(name: string, value: unknown): void {
  for (let at: unknown = globalThis; at !== null; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at as object, name)) Reflect.deleteProperty(at as object, name);
  // Returns false, where defineProperty of Object would end the engine, if a browser does not let go of one.
  Reflect.defineProperty(globalThis, name, { value, writable: false, configurable: false });
}

/** `connect-src 'self'`: the wasm comes from where the page does. */
function restrictFetch(): void {
  const fetchAnything = globalThis.fetch.bind(globalThis);
  const fetchOwn = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, { ...init, redirect: "error" });
    if (new URL(request.url).origin !== globalThis.location.origin)
      throw new TypeError(`the engine fetches nothing from other hosts: ${request.url}`);
    return fetchAnything(request);
  };
  replace("fetch", fetchOwn);
}

function refuse(): never {
  throw new EvalError("the engine turns no text into code");
}

/** `script-src` without `'unsafe-eval'`. */
function forbidTextAsCode(): void {
  const functions = [
    () => 0,
    async () => Promise.resolve(0),
    function* () {
      yield 0;
    },
    async function* () {
      yield Promise.resolve(0);
    },
  ];
  for (const prototype of functions.map((one) => Object.getPrototypeOf(one) as object)) {
    const refusing = function (): never {
      return refuse();
    };
    refusing.prototype = prototype;
    Object.defineProperty(prototype, "constructor", {
      value: refusing,
      writable: false,
      configurable: false,
    });
  }
  replace("Function", Function.prototype.constructor);
  replace("eval", refuse);
  for (const name of ["setTimeout", "setInterval"]) {
    const start = scope[name] as (...args: unknown[]) => unknown;
    replace(name, (task: unknown, ...rest: unknown[]) =>
      typeof task === "function" ? start(task, ...rest) : refuse(),
    );
  }
}

for (const name of kConnecting) if (name in globalThis) replace(name, undefined);
restrictFetch();
forbidTextAsCode();
