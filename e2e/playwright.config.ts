import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

/** A port of this run's own; workers load this file too and inherit the choice. */
process.env["E2E_PORT"] ??= String(20_000 + Math.floor(Math.random() * 20_000));
const kPort = Number(process.env["E2E_PORT"]);
/**
 * The distribution's browser where there is one, first the one without windows, which takes half as long for a page; else the
 * one Playwright was told of, or brought.
 */
const kChromium = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));

/** The page of build/site, served as `./scripts/run` serves it. */
export default defineConfig({
  testDir: "specs",
  outputDir: "../build/e2e",
  fullyParallel: true,
  workers: 2,
  forbidOnly: true,
  timeout: 30_000,
  reporter: [["list"]],
  webServer: {
    command: `node ../scripts/serve.mjs ../build/site ${kPort}`,
    url: `http://localhost:${kPort}/`,
    reuseExistingServer: false,
  },
  use: {
    baseURL: `http://localhost:${kPort}/`,
    // Each test is a first visit; offline.spec.ts lets the page be kept.
    serviceWorkers: "block",
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      args: ["--no-sandbox", "--disable-gpu"],
      ...(kChromium !== undefined && { executablePath: kChromium }),
    },
  },
});
