// Serves a folder of static files on localhost: node scripts/serve.mjs FOLDER [PORT]. A taken port is passed over for the next;
// port 0 takes any. Answers are compressed and typed as a good static host would, so that what is measured here is what users get;
// they carry the headers that the folder's file `_headers` has under `/*` and under their path.
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";
import { pipeline } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};
const compressors = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify(gzip),
};

const folder = resolve(process.argv[2] ?? ".");

/** By path: a path begins a line, its headers follow indented. */
function readHeaders() {
  const file = join(folder, "_headers");
  const rules = new Map();
  let rule = {};
  for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
    const colon = line.indexOf(":");
    if (!line.startsWith(" ")) rules.set(line.trim(), (rule = {}));
    else if (colon > 0) rule[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return rules;
}

/** By file and encoding: the tag of the file, and the promise of its compressed bytes. The specs ask for the same files 200 times. */
const kept = new Map();

function compressed(file, tag, encoding) {
  const key = `${encoding} ${file}`;
  if (kept.get(key)?.tag !== tag) kept.set(key, { tag, bytes: readFile(file).then(compressors[encoding]) });
  return kept.get(key).bytes;
}

async function answer(request, response) {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  let file = join(folder, normalize(path));
  if (file !== folder && !file.startsWith(folder + sep)) return response.writeHead(404).end();
  let facts = await stat(file);
  if (facts.isDirectory()) facts = await stat((file = join(file, "index.html")));

  const type = types[extname(file)] ?? "application/octet-stream";
  const rules = readHeaders();
  const tag = `"${facts.mtimeMs.toString(36)}-${facts.size.toString(36)}"`;
  const headers = { ...rules.get("/*"), ...rules.get(path), "Content-Type": type, "Cache-Control": "no-cache", ETag: tag };
  if (request.headers["if-none-match"] === tag) return response.writeHead(304, headers).end();
  const accepted = request.headers["accept-encoding"] ?? "";
  const encoding = extname(file) in types ? Object.keys(compressors).find((name) => accepted.includes(name)) : undefined;
  if (encoding) {
    const bytes = await compressed(file, tag, encoding);
    response.writeHead(200, { ...headers, "Content-Encoding": encoding, "Content-Length": bytes.length }).end(bytes);
    return;
  }
  response.writeHead(200, { ...headers, "Content-Length": facts.size });
  pipeline(createReadStream(file), response, (error) => error && response.destroy());
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.writeHead(404).end());
});
let port = Number(process.argv[3] ?? 8000);
server.on("error", (error) => {
  if (error.code !== "EADDRINUSE") throw error;
  server.listen(++port, "127.0.0.1");
});
server.on("listening", () => console.log(`The playground: http://localhost:${server.address().port}/`));
server.listen(port, "127.0.0.1");
