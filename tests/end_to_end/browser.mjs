/**
 * Finds and starts the browser for the end-to-end tests.
 *
 * Any Chromium will do. It is started with a one-rule extension that makes its websockets say the Origin that
 * Obsidian's say, so that the sidecar's Origin gate needs no exception for tests.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

/** The Origin of every page that the desktop app shows. */
export const OBSIDIAN_ORIGIN = "app://obsidian.md";

const DEBIAN_PACKAGES = [
  "chromium",
  // Without these, CJK and emoji in the screenshots are empty boxes.
  "fonts-dejavu-core",
  "fonts-noto-core",
  "fonts-noto-cjk",
  "fonts-noto-color-emoji",
];

// Chromium first: Google's and Microsoft's own builds stopped loading unpacked extensions from the command line.
const PROGRAM_NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "microsoft-edge-stable",
  "microsoft-edge",
  "chrome.exe",
  "msedge.exe",
];

const UNIX_PLACES = [
  "/usr/lib/chromium/chromium",
  "/snap/bin/chromium",
  "/opt/google/chrome/chrome",
  "/opt/microsoft/msedge/msedge",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

const WINDOWS_PLACES = ["Chromium/Application/chrome.exe", "Google/Chrome/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe"];

/**
 * The program of a Chromium, Chrome or Edge on this machine, or undefined.
 *
 * @param {NodeJS.ProcessEnv} env QUARRY_BROWSER in it goes before every usual place.
 * @returns {string | undefined}
 * @throws {Error} QUARRY_BROWSER names no program.
 */
export function findBrowser(env = process.env) {
  const chosen = env.QUARRY_BROWSER;
  if (chosen) {
    if (isProgram(chosen)) return chosen;
    throw new Error(`QUARRY_BROWSER is ${chosen}, which is no program: give the full path of a Chromium, Chrome or Edge.`);
  }
  return candidates(env).find(isProgram);
}

/**
 * The browser of this machine; Debian's Chromium is installed when there is none and we may.
 *
 * @returns {string} path of the program
 * @throws {Error} There is none and none can be installed; the message says what to do, in one sentence.
 */
export function installBrowser(env = process.env) {
  const found = findBrowser(env);
  if (found) return found;
  if (!isRootOnDebian()) {
    throw new Error("The end-to-end tests need a browser: install Chromium, Google Chrome or Microsoft Edge, or set QUARRY_BROWSER to the path of one.");
  }
  apt("update");
  apt("install", "-y", "--no-install-recommends", ...DEBIAN_PACKAGES);
  const installed = findBrowser(env);
  if (!installed) throw new Error("apt-get installed the package chromium but no browser was found: set QUARRY_BROWSER to its path.");
  return installed;
}

/** @type {ReturnType<typeof launchBrowser> | undefined} */
let shared;

/** The browser that all hosts of this process share: each has an origin of its own, and so its own storage. */
export function sharedBrowser() {
  shared ??= launchBrowser();
  return shared;
}

export async function closeSharedBrowser() {
  await (await shared)?.close();
  shared = undefined;
}

/**
 * Start the browser, headless, with a profile of its own that is removed when it is closed.
 *
 * @returns {Promise<{ context: import("playwright-core").BrowserContext, close(): Promise<void> }>}
 */
export async function launchBrowser() {
  const folder = mkdtempSync(join(tmpdir(), "quarry-browser-"));
  const extension = writeOriginExtension(join(folder, "extension"));
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: installBrowser(),
    headless: true,
    ignoreDefaultArgs: ["--disable-extensions"],
    args: [
      "--headless=new", // the old headless mode has no extensions
      `--load-extension=${extension}`,
      `--disable-extensions-except=${extension}`,
      "--disable-features=DisableLoadExtensionCommandLineSwitch",
    ],
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]); // as Obsidian's window has them, unasked
  return {
    context,
    async close() {
      await context.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** @param {string} folder where the unpacked extension is written */
function writeOriginExtension(folder) {
  const manifest = {
    manifest_version: 3,
    name: "origin",
    version: "1",
    permissions: ["declarativeNetRequest"],
    host_permissions: ["<all_urls>"],
    declarative_net_request: { rule_resources: [{ id: "origin", enabled: true, path: "rules.json" }] },
  };
  const rule = {
    id: 1,
    action: { type: "modifyHeaders", requestHeaders: [{ header: "origin", operation: "set", value: OBSIDIAN_ORIGIN }] },
    condition: { urlFilter: "|ws://127.0.0.1", resourceTypes: ["websocket"] },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "rules.json"), JSON.stringify([rule]));
  return folder;
}

/** @param {NodeJS.ProcessEnv} env */
function candidates(env) {
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter(Boolean);
  const onPath = PROGRAM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const windowsRoots = [env.PROGRAMFILES, env["PROGRAMFILES(X86)"], env.LOCALAPPDATA].filter((root) => root !== undefined);
  const onWindows = WINDOWS_PLACES.flatMap((place) => windowsRoots.map((root) => join(root, place)));
  return [...onPath, ...UNIX_PLACES, ...onWindows];
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // missing or not ours to run: the next place is tried
  }
}

function isRootOnDebian() {
  return process.platform === "linux" && process.getuid?.() === 0 && existsSync("/etc/debian_version");
}

/** @param {...string} args */
function apt(...args) {
  const done = spawnSync("apt-get", args, { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  if (done.status !== 0) throw new Error(`"apt-get ${args.join(" ")}" failed: install Chromium by hand, or set QUARRY_BROWSER to the path of a browser.`);
}
