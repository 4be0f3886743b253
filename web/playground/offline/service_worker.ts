/**
 * Keeps the page on the machine: what the build wrote is fetched once and then answered from the browser's store, so the
 * page opens without a network. It never sees the user's files, which do not travel by requests.
 *
 * A version is a set of files by content. A new one is fetched whole beside the old one, without what has not changed, and
 * takes over when no window shows the old one any more, or the user asks for it. Parts of a page that are loaded on demand are
 * named by their content, and those of the version before stay: another window goes on with its own. Where the address has
 * become another page's (a port of localhost), the worker takes itself away.
 */
declare const self: ServiceWorkerGlobalScope;
/** By path: the beginning of the SHA-256 of the content. Set by the build, as the hash of all of it. */
declare const kFiles: Readonly<Record<string, string>>;
declare const kVersion: string;

const kPrefix = "faketensor-";
const kStore = kPrefix + kVersion;
/** Asked by the page, where the user wants the new version now. */
const kTakeOver = "take over";

/** The name in the store holds the content's hash: what is there under it needs no second look. */
function keyOf(path: string): string {
  return new URL(`${path}?${kFiles[path] ?? ""}`, self.registration.scope).href;
}

async function install(): Promise<void> {
  const store = await caches.open(kStore);
  await Promise.all(
    Object.keys(kFiles).map(async (path) => {
      const key = keyOf(path);
      await store.put(key, (await caches.match(key)) ?? (await fetched(path)));
    }),
  );
}

async function fetched(path: string): Promise<Response> {
  const response = await fetch(new URL(path, self.registration.scope), { cache: "no-cache" });
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  const digest = await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer());
  const hash = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (!hash.startsWith(kFiles[path] ?? "-")) throw new Error(`${path} is of another version`);
  return response;
}

async function activate(): Promise<void> {
  const others = (await caches.keys()).filter((name) => name.startsWith(kPrefix) && name !== kStore);
  // In the order in which they were made.
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** The path of a file beside the page; null for whatever else. */
function pathOf(request: Request): string | null {
  const url = new URL(request.url);
  const scope = new URL(self.registration.scope);
  if (request.method !== "GET" || url.origin !== scope.origin) return null;
  if (!url.pathname.startsWith(scope.pathname)) return null;
  const path = url.pathname.slice(scope.pathname.length);
  return path === "" ? "index.html" : path;
}

async function answer(request: Request, path: string): Promise<Response> {
  const kept = path in kFiles ? caches.match(keyOf(path)) : caches.match(request, { ignoreSearch: true });
  return (await kept) ?? fetch(request);
}

/** Where the server has another page now, nobody is to find this one here. */
async function leaveIfGone(): Promise<void> {
  const own = await fetch(self.location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (own?.status !== 404) return;
  await self.registration.unregister();
  for (const name of await caches.keys()) if (name.startsWith(kPrefix)) await caches.delete(name);
}

self.addEventListener("install", (event) => {
  event.waitUntil(install());
});
self.addEventListener("activate", (event) => {
  event.waitUntil(activate());
});
self.addEventListener("message", ({ data }) => {
  if (data === kTakeOver) void self.skipWaiting();
});
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = pathOf(request);
  if (path === null) return;
  event.respondWith(answer(request, path));
  if (request.mode === "navigate" && path === "index.html") event.waitUntil(leaveIfGone());
});
