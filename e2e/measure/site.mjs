/** The built page, served, and a browser to look at it with. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");

export async function serve(folder) {
  const server = spawn(process.execPath, [path.join(root, "scripts/serve.mjs"), folder, "0"]);
  const url = await new Promise((resolve) => {
    server.stdout.on("data", (text) => resolve(/http:\/\/\S+/.exec(String(text))?.[0]));
  });
  return { server, url: url.endsWith("/") ? url : `${url}/` };
}

export function launch() {
  // First the browser that people use.
  const names = ["chromium", "google-chrome", "chromium-headless-shell"];
  const executablePath = names.map((name) => `/usr/bin/${name}`).find((file) => existsSync(file));
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}
