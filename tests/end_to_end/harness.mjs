/**
 * The app with the plugin installed and a vault of its own; `close` removes every trace.
 *
 * `openHost` copies nothing and installs no browser twice: a test makes its folders with `temporaryFolder` and
 * `copyVault`, opens a host on them, and closes it; closing ends the children of this host, and no other process.
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBridge } from "./bridge.mjs";
import { OBSIDIAN_ORIGIN, launchBrowser, sharedBrowser } from "./browser.mjs";
import { pageScript } from "./host/build.mjs";

const CONFIG_DIR = ".obsidian";
const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
export const DEADLINE_MS = 60_000; // far beyond what anything takes, on a busy machine as well; only a hang comes this far
const START_MS = 300_000; // of an app with 17,000 notes
/** @param {string} name */
const hostFile = (name) => fileURLToPath(new URL(`host/${name}`, import.meta.url));

/** The plugin, as `npm run build` leaves it. */
export const QUARRY = {
  mainJs: join(REPOSITORY, "main.js"),
  manifest: join(REPOSITORY, "manifest.json"),
  styles: join(REPOSITORY, "plugin", "styles.css"),
};

/**
 * @typedef {object} HostOptions
 * @property {string} vault the vault folder; the plugin is put into its `.obsidian`
 * @property {"light" | "dark"} [theme]
 * @property {Record<string, string>} [env] added to this process's environment: what the plugin's `process.env` and its children see
 * @property {unknown} [data] what the plugin's `loadData` gives
 * @property {Record<string, unknown>} [localStorage] what `app.loadLocalStorage` gives
 * @property {{ width: number, height: number }} [viewport]
 * @property {boolean} [clock] the test moves the clock of the page, which needs a browser of its own
 */

/**
 * A new folder under the system's temporary one.
 *
 * @param {string} name
 * @returns {{ path: string, remove(): void }}
 */
export function temporaryFolder(name) {
  // The real path: macOS gives a link, and programs name files by what it points to.
  const path = realpathSync(mkdtempSync(join(tmpdir(), `quarry-${name}-`)));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/**
 * A fresh copy of a vault; files given as text are added to it.
 *
 * @param {string | undefined} from the vault to copy, if any
 * @param {Record<string, string>} notes path -> text
 */
export function copyVault(from, notes = {}) {
  const folder = temporaryFolder("vault");
  if (from) cpSync(from, folder.path, { recursive: true });
  for (const [path, text] of Object.entries(notes)) {
    const full = join(folder.path, path);
    mkdirSync(join(full, ".."), { recursive: true });
    writeFileSync(full, text);
  }
  return folder;
}

/**
 * Open the app on a vault, with the plugin installed but not enabled.
 *
 * @param {HostOptions} options
 * @returns {Promise<Host>}
 */
export async function openHost({ vault, theme = "light", env = {}, data, localStorage = {}, viewport = { width: 1280, height: 800 }, clock = false }) {
  const folder = join(vault, CONFIG_DIR, "plugins", "quarry");
  mkdirSync(folder, { recursive: true });
  if (data !== undefined) writeFileSync(join(folder, "data.json"), JSON.stringify(data));
  const bridge = await startBridge({
    vault,
    configDir: CONFIG_DIR,
    env: { .../** @type {Record<string, string>} */ (process.env), ...env },
    assets: {
      "/": hostFile("index.html"),
      "/page.js": { text: await pageScript(), type: ".js" },
      ...Object.fromEntries(["variables", "theme", "controls", "overlays"].map((name) => [`/${name}.css`, hostFile(`${name}.css`)])),
      "/plugin/main.js": QUARRY.mainJs,
      "/plugin/manifest.json": QUARRY.manifest,
      "/plugin/styles.css": QUARRY.styles,
    },
  });
  /** @type {Host | undefined} */
  let host;
  try {
    const browser = await (clock ? launchBrowser() : sharedBrowser());
    host = new Host({ bridge, browser: clock ? browser : undefined, page: await browser.context.newPage(), theme });
    host.page.setDefaultTimeout(DEADLINE_MS);
    await host.page.setViewportSize(viewport);
    await host.enter();
    await host.page.evaluate((entries) => window.testHost.seedLocalStorage(entries), localStorage);
    if (clock) await host.page.clock.install();
    return host;
  } catch (error) {
    await (host ?? bridge).close();
    throw error;
  }
}

/** Methods of the driver that a host has as they are. */
const DRIVEN = /** @type {const} */ ([
  ...["activeNote", "addRenderer", "commands", "cssVariables", "direction", "disable", "fileMenu", "notices", "openNote", "openNotes", "openSettings"],
  ...["openUri", "remove", "rename", "runCli", "runCommand", "select", "setCursor", "statusBar", "undo", "write"],
]);

/**
 * What a user does and sees in the app, called in the page.
 *
 * @typedef {import("./host/page/driver").Driver} Driver
 * @type {new () => { [Name in (typeof DRIVEN)[number]]: (...args: Parameters<Driver[Name]>) => Promise<Awaited<ReturnType<Driver[Name]>>> }}
 */
const DrivenPage = /** @type {any} */ (class {});
for (const name of DRIVEN) {
  DrivenPage.prototype[name] = function (/** @type {unknown[]} */ ...args) {
    return this.page.evaluate((/** @type {[string, unknown[]]} */ [method, given]) => Reflect.apply(Reflect.get(window.testHost, method), window.testHost, given), [name, args]);
  };
}

/** The app, as its user and its system see it. */
export class Host extends DrivenPage {
  /** @type {import("playwright-core").Page} */
  page;
  #bridge;
  #browser;
  #theme;
  #started = false;
  /** @type {string[]} */
  #errors = [];

  /**
   * @param {object} parts
   * @param {Awaited<ReturnType<typeof startBridge>>} parts.bridge
   * @param {Awaited<ReturnType<typeof launchBrowser>> | undefined} parts.browser of this host alone
   * @param {import("playwright-core").Page} parts.page
   * @param {"light" | "dark"} parts.theme
   */
  constructor({ bridge, browser, page, theme }) {
    super();
    this.page = page;
    this.#bridge = bridge;
    this.#browser = browser;
    this.#theme = theme;
    this.#listen(page);
  }

  /** Open the page; the app does not run yet. */
  async enter() {
    await this.page.goto(this.#bridge.url);
    await this.page.waitForSelector("body[data-ready]");
    await this.theme(this.#theme);
    await this.#checkOrigin();
  }

  /** Turn the plugin on. The first time this starts the app with it: `onload`, the vault's files, `layout-ready`. */
  async enable() {
    if (this.#started) return this.page.evaluate(() => window.testHost.enable());
    this.#started = true;
    await this.#start({ withPlugin: true, layout: [] });
  }

  /** Start the app without the plugin, to enable it later. */
  async startWithoutPlugin() {
    this.#started = true;
    await this.#start({ withPlugin: false, layout: [] });
  }

  /**
   * Asked for and then looked at: a promise that takes the seconds of loading a vault is collected before DevTools,
   * which holds it weakly, has seen its end.
   *
   * @param {Parameters<import("./host/page/driver").Driver["start"]>[0]} state
   */
  async #start(state) {
    await this.page.evaluate((wanted) => {
      const note = (/** @type {string} */ outcome) => Object.assign(window, { startOutcome: outcome });
      window.testHost.start(wanted).then(() => note("started"), (error) => note(String(error)));
    }, state);
    const outcome = await this.page.waitForFunction(() => Reflect.get(window, "startOutcome"), null, { timeout: START_MS });
    const said = await outcome.jsonValue();
    if (said !== "started") throw new Error(`the app did not start: ${said}`);
  }

  /** Turn the plugin off and on again. */
  async reload() {
    await this.disable();
    await this.enable();
  }

  /** Quit the app and start it again: the tabs come back, those that nobody sees only when they are shown. */
  async restart() {
    const [layout, withPlugin] = await this.page.evaluate(async () => {
      await window.testHost.quit();
      return [window.testHost.layout(), window.testHost.isEnabled()];
    });
    await this.enter();
    await this.#start({ withPlugin, layout });
  }

  /** @param {"light" | "dark"} name */
  async theme(name) {
    this.#theme = name;
    await this.page.evaluate((theme) => window.testHost.theme(theme), name);
  }

  /**
   * What the system asks of every page: forced colours, less motion, more contrast. `null` takes one back.
   *
   * @param {Pick<NonNullable<Parameters<import("playwright-core").Page["emulateMedia"]>[0]>, "forcedColors" | "reducedMotion" | "contrast" | "colorScheme">} features
   */
  async media(features) {
    await this.page.emulateMedia(features);
  }

  /**
   * Move a view into a window of its own.
   *
   * @param {string} type
   * @returns {Promise<import("playwright-core").Page>} the window
   */
  async popOut(type) {
    const [popout] = await Promise.all([this.page.context().waitForEvent("page"), this.page.evaluate((view) => window.testHost.popOut(view), type)]);
    this.#listen(popout);
    return popout;
  }

  /** @returns {number[]} pids of the programs the plugin started that are alive */
  children() {
    return this.#bridge.processes.alive();
  }

  /** @returns {string[]} what went wrong in the page so far: exceptions, console errors, refused HTML, foreign requests */
  errors() {
    return [...this.#errors];
  }

  /** @returns {string[]} the errors so far, which are then forgotten: for a test that expects some */
  takeErrors() {
    return this.#errors.splice(0);
  }

  /** @param {string} path where the PNG goes; its folder is made */
  async screenshot(path) {
    await this.page.screenshot({ path, animations: "disabled", caret: "hide" });
  }

  /**
   * Close the app as its user does.
   *
   * @returns {Promise<{ killed: number[] }>} pids of children that did not leave when their pipes closed
   */
  async close() {
    await this.page.close();
    const killed = await this.#bridge.close();
    await this.#browser?.close();
    return { killed };
  }

  /** @param {import("playwright-core").Page} page */
  #listen(page) {
    page.on("pageerror", (error) => this.#errors.push(`exception: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") this.#errors.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const { hostname, protocol } = new URL(request.url());
      const local = hostname === "127.0.0.1" || protocol === "data:" || protocol === "blob:";
      if (!local) this.#errors.push(`request: ${request.url()}`);
    });
  }

  /** Fails unless the browser's websockets have Obsidian's Origin. The bridge notes the Origin and refuses them. */
  async #checkOrigin() {
    await this.page.evaluate(() => new Promise((resolve) => (new WebSocket(location.origin.replace("http:", "ws:")).onclose = resolve)));
    const origin = this.#bridge.websocketOrigins.at(-1);
    if (origin !== OBSIDIAN_ORIGIN) {
      throw new Error(`This browser sends the Origin ${origin} because it loads no unpacked extension: install Chromium, or set QUARRY_BROWSER to the path of one.`);
    }
    this.takeErrors(); // the browser reports the refusal
  }
}
