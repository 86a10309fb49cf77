/**
 * The app with the plugin installed and a vault of its own; `close` removes every trace.
 *
 * `openHost` copies nothing and installs no browser twice: a test makes its folders with `temporaryFolder` and
 * `copyVault`, opens a host on them, and closes it; closing ends the children of this host, and no other process.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBridge } from "./bridge.mjs";
import { OBSIDIAN_ORIGIN, launchBrowser } from "./browser.mjs";
import { pageScript } from "./host/build.mjs";

const CONFIG_DIR = ".obsidian";
const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const START_MS = 300_000; // 17,000 notes take over a minute on a busy machine; only a hang comes this far
/** @param {string} name */
const hostFile = (name) => fileURLToPath(new URL(`host/${name}`, import.meta.url));

/** Our plugin, as `npm run build` leaves it. */
export const QUARRY = {
  mainJs: join(REPOSITORY, "main.js"),
  manifest: join(REPOSITORY, "manifest.json"),
  styles: join(REPOSITORY, "plugin", "styles.css"),
};

/**
 * @typedef {{ mainJs: string, manifest: string, styles?: string }} PluginFiles
 * @typedef {object} HostOptions
 * @property {string} vault the vault folder; the plugin is put into its `.obsidian`
 * @property {PluginFiles} [plugin] the built plugin; Quarry's by default
 * @property {"light" | "dark"} [theme]
 * @property {Record<string, string>} [env] added to this process's environment: what the plugin's `process.env` and its children see
 * @property {unknown} [data] what the plugin's `loadData` gives
 * @property {Record<string, unknown>} [localStorage] what `app.loadLocalStorage` gives
 * @property {{ width: number, height: number }} [viewport]
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
export async function openHost({ vault, plugin = QUARRY, theme = "light", env = {}, data, localStorage = {}, viewport }) {
  const installed = install(vault, plugin, data);
  const bridge = await startBridge({
    vault,
    configDir: CONFIG_DIR,
    env: { .../** @type {Record<string, string>} */ (process.env), ...env },
    assets: {
      "/": hostFile("index.html"),
      "/page.js": { text: await pageScript(), type: ".js" },
      ...Object.fromEntries(["variables", "theme", "controls", "overlays"].map((name) => [`/${name}.css`, hostFile(`${name}.css`)])),
      "/plugin/main.js": join(installed, "main.js"),
      "/plugin/manifest.json": join(installed, "manifest.json"),
      "/plugin/styles.css": join(installed, "styles.css"),
    },
  });
  const browser = await launchBrowser(viewport).catch(async (error) => {
    await bridge.close();
    throw error;
  });
  const page = browser.context.pages()[0] ?? (await browser.context.newPage());
  const host = new Host({ bridge, browser, page, pluginId: pluginId(plugin), theme });
  try {
    await host.enter();
    await page.evaluate((entries) => window.testHost.seedLocalStorage(entries), localStorage);
    return host;
  } catch (error) {
    await host.close();
    throw error;
  }
}

/** @param {PluginFiles} plugin */
function pluginId(plugin) {
  const { id } = /** @type {{ id: string }} */ (JSON.parse(readFileSync(plugin.manifest, "utf8")));
  return id;
}

/**
 * Put the plugin where Obsidian looks for it.
 *
 * @param {string} vault
 * @param {PluginFiles} plugin
 * @param {unknown} data
 */
function install(vault, plugin, data) {
  const folder = join(vault, CONFIG_DIR, "plugins", pluginId(plugin));
  mkdirSync(folder, { recursive: true });
  cpSync(plugin.mainJs, join(folder, "main.js"));
  cpSync(plugin.manifest, join(folder, "manifest.json"));
  if (plugin.styles && existsSync(plugin.styles)) cpSync(plugin.styles, join(folder, "styles.css"));
  else writeFileSync(join(folder, "styles.css"), "");
  if (data !== undefined) writeFileSync(join(folder, "data.json"), JSON.stringify(data));
  return folder;
}

/** The app, as its user and its system see it. */
export class Host {
  /** @type {import("playwright-core").Page} */
  page;
  #bridge;
  #browser;
  #pluginId;
  #theme;
  #started = false;
  /** @type {string[]} */
  #errors = [];

  /**
   * @param {object} parts
   * @param {Awaited<ReturnType<typeof startBridge>>} parts.bridge
   * @param {Awaited<ReturnType<typeof launchBrowser>>} parts.browser
   * @param {import("playwright-core").Page} parts.page
   * @param {string} parts.pluginId
   * @param {"light" | "dark"} parts.theme
   */
  constructor({ bridge, browser, page, pluginId, theme }) {
    this.page = page;
    this.#bridge = bridge;
    this.#browser = browser;
    this.#pluginId = pluginId;
    this.#theme = theme;
    this.#listen(page);
  }

  /** Open the page; the app does not run yet. */
  async enter() {
    await this.page.goto(this.#bridge.url);
    await this.page.waitForSelector("body[data-ready]");
    await this.page.evaluate((name) => window.testHost.theme(name), this.#theme);
    const origin = await this.#websocketOrigin();
    if (origin !== OBSIDIAN_ORIGIN) {
      throw new Error(`This browser sends the Origin ${origin} because it loads no unpacked extension: install Chromium, or set QUARRY_BROWSER to the path of one.`);
    }
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

  async disable() {
    await this.page.evaluate(() => window.testHost.disable());
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

  /** @param {string} id of one of the plugin's commands, with or without the plugin's own id before it */
  async runCommand(id) {
    const full = id.includes(":") ? id : `${this.#pluginId}:${id}`;
    await this.page.evaluate((command) => window.testHost.runCommand(command), full);
  }

  /** @returns {Promise<{ id: string, name: string, hasHotkey: boolean }[]>} */
  async commands() {
    return this.page.evaluate(() => window.testHost.commands());
  }

  /** @param {string} type shown in the right sidebar */
  async openView(type) {
    await this.page.evaluate((view) => window.testHost.openView(view), type);
  }

  /**
   * @param {string} path
   * @param {"source" | "preview"} mode
   */
  async openNote(path, mode = "source") {
    await this.page.evaluate(([note, view]) => window.testHost.openNote(note, view), /** @type {const} */ ([path, mode]));
  }

  async openSettings() {
    await this.page.evaluate((id) => window.testHost.openSettings(id), this.#pluginId);
  }

  /** @param {string} uri such as `obsidian://quarry?query=word` */
  async openUri(uri) {
    await this.page.evaluate((target) => window.testHost.openUri(target), uri);
  }

  /**
   * Run a command of Obsidian's own command line.
   *
   * @param {string} command
   * @param {Record<string, string>} params a flag without a value is "true"
   * @returns {Promise<string>} what it prints
   */
  async runCli(command, params) {
    return this.page.evaluate(([name, given]) => window.testHost.runCli(name, given), /** @type {const} */ ([command, params]));
  }

  /**
   * Save a note, as its user does in the app; a new one is created.
   *
   * @param {string} path
   * @param {string} text
   */
  async write(path, text) {
    await this.page.evaluate(([note, content]) => window.testHost.write(note, content), /** @type {const} */ ([path, text]));
  }

  /**
   * @param {string} path of a note or folder
   * @param {string} newPath
   */
  async rename(path, newPath) {
    await this.page.evaluate(([from, to]) => window.testHost.rename(from, to), /** @type {const} */ ([path, newPath]));
  }

  /** @param {string} path of a note or folder */
  async remove(path) {
    await this.page.evaluate((target) => window.testHost.remove(target), path);
  }

  async activeNote() {
    return this.page.evaluate(() => window.testHost.activeNote());
  }

  /** @returns {Promise<string[]>} */
  async openNotes() {
    return this.page.evaluate(() => window.testHost.openNotes());
  }

  /** @returns {Promise<{ text: string, visible: boolean }[]>} every notice since the page opened */
  async notices() {
    return this.page.evaluate(() => window.testHost.notices());
  }

  /**
   * Open the menu of a file or folder, as a right click in the file explorer does.
   *
   * @param {string} path
   */
  async fileMenu(path) {
    await this.page.evaluate((at) => window.testHost.fileMenu(at), path);
  }

  /** @returns {Promise<string[]>} the text of each item */
  async statusBar() {
    return this.page.evaluate(() => window.testHost.statusBar());
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
   * The app's language is written from right to left, or again from left to right.
   *
   * @param {"ltr" | "rtl"} dir
   */
  async direction(dir) {
    await this.page.evaluate((to) => window.testHost.direction(to), dir);
  }

  /** @param {Record<string, string>} values CSS variables that a user or a theme sets on the body */
  async cssVariables(values) {
    await this.page.evaluate((set) => window.testHost.cssVariables(set), values);
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

  /** @param {string} path where the PNG goes */
  async screenshot(path) {
    await this.page.screenshot({ path, animations: "disabled", caret: "hide" });
  }

  /**
   * Close the app as its user does, then the browser.
   *
   * @param {{ patienceMs?: number }} options how long children may take to leave
   * @returns {Promise<{ killed: number[] }>} pids of children that did not leave when their pipes closed
   */
  async close({ patienceMs } = {}) {
    await this.page.close();
    const killed = await this.#bridge.close(patienceMs);
    await this.#browser.close();
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

  async #websocketOrigin() {
    const url = this.#bridge.origin.replace("http:", "ws:");
    return this.page.evaluate(
      (address) =>
        new Promise((resolve, reject) => {
          const socket = new WebSocket(address);
          socket.onerror = () => reject(new Error(`no websocket to ${address}`));
          socket.onmessage = ({ data }) => {
            resolve(data);
            socket.close();
          };
        }),
      url,
    );
  }
}
