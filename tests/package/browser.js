/** Opens a folder as a page in Chromium and waits for what the page reports. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; connect-src 'self'";
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
const patience = 120_000;
/** Starts in half the time of the browser that has windows. */
const kShell = "/usr/bin/chromium-headless-shell";

/** The page finds `model` at /model and posts its report to /result. */
export async function visit(folder, model) {
  let receive;
  const reported = new Promise((resolve) => (receive = resolve));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === "/result") {
      collect(request).then((text) => receive(JSON.parse(text)));
      response.writeHead(204).end();
      return;
    }
    const file =
      pathname === "/model" ? model : path.join(folder, pathname === "/" ? "index.html" : pathname);
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const type = types[path.extname(file)] ?? "application/octet-stream";
    response
      .writeHead(200, { "content-type": type, "content-security-policy": policy })
      .end(readFileSync(file));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const profile = mkdtempSync(path.join(tmpdir(), "faketensor-profile-"));
  const switches = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    `--user-data-dir=${profile}`,
  ];
  const chromium = spawn(
    process.env.CHROMIUM ?? (existsSync(kShell) ? kShell : "chromium"),
    [...switches, `http://127.0.0.1:${server.address().port}/`],
    // A group of its own, so that its helper processes end with it.
    { stdio: "ignore", detached: true },
  );
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the page in ${folder} did not report in ${patience} ms`)),
      patience,
    );
  });
  try {
    return await Promise.race([reported, late]);
  } finally {
    clearTimeout(timer);
    const ended = once(chromium, "exit");
    process.kill(-chromium.pid, "SIGKILL");
    await ended;
    server.close();
    await removeProfile(profile);
  }
}

/** A helper that was about to write when it was ended may leave a file behind the removal. */
async function removeProfile(profile) {
  for (let attempt = 1; ; ++attempt) {
    try {
      return await rm(profile, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== "ENOTEMPTY" || attempt === 50) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
