/** Servers of a spec's own: the site as another host would send it, and pages of other origins. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const kRoot = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");

export interface Host {
  /** Ends with a slash. */
  readonly url: string;
  stop(): void;
}

/** A folder as scripts/serve.mjs serves it. */
export async function serveSite(folder: string, port = "0"): Promise<Host> {
  const server = spawn(process.execPath, [path.join(kRoot, "scripts/serve.mjs"), folder, port]);
  const [said] = (await once(server.stdout, "data")) as [Buffer];
  return {
    url: /http:\S+/.exec(said.toString())?.[0] ?? "",
    stop: () => {
      server.kill();
    },
  };
}

const kTypes: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

/** Files by the first part of their address: a text, or a folder that holds them. */
export async function serveFiles(
  files: Readonly<Record<string, string | { readonly folder: string }>>,
  headers: Readonly<Record<string, string>>,
): Promise<Host> {
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const [first = "", ...rest] = pathname.slice(1).split("/");
    const found = files[first];
    const type =
      kTypes[path.extname(pathname)] ?? (pathname === "/" ? "text/html" : "application/octet-stream");
    const send = (body: string | Buffer): void => {
      response.writeHead(200, { ...headers, "Content-Type": type }).end(body);
    };
    if (found === undefined) response.writeHead(404).end();
    else if (typeof found === "string") send(found);
    else
      readFile(path.join(found.folder, ...rest)).then(send, () => {
        response.writeHead(404).end();
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
