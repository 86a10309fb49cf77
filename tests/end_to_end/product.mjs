/**
 * The whole product for a test: the built plugin, the real sidecar, and a vault and folders of its own.
 *
 * Everything that the product writes goes below temporary folders; `close` ends what was started here and nothing else.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { program } from "../../sidecar/dev/environment.mjs";
import { closeSharedBrowser } from "./browser.mjs";
import { DEADLINE_MS, copyVault, openHost, temporaryFolder } from "./harness.mjs";

/** The sidecar's program, of the environment that `npm test` makes. */
export const ENGINE = program("quarry");

/** A believable person's notes. */
export const SAMPLE = fileURLToPath(new URL("../retrieval/vault", import.meta.url));

/** An environment in which no program is found. */
export const NOWHERE = { PATH: "", Path: "", UV_TOOL_BIN_DIR: "", PIPX_BIN_DIR: "", XDG_BIN_HOME: "" };

/** Pictures of what the tests saw. */
export const PICTURES = fileURLToPath(new URL("out", import.meta.url));

/** Where the plugin keeps which program to run, on this device. */
const ENGINE_PATH_KEY = "quarry-engine-path";

const POLL_MS = 15;

/**
 * @typedef {object} Row as the pane shows it
 * @property {string} path
 * @property {string} title
 * @property {string} why
 * @property {string} age
 * @property {string} trail
 * @property {string} snippet
 * @property {string[]} titleWords the query's words that are marked in the title, in order
 * @property {string[]} words the query's words that are marked in the snippet, in order
 * @property {string[]} sentences marked as nearest in meaning
 * @property {boolean} isSelected
 *
 * @typedef {{ path: string, pid: number, port: number, token: string }} Sidecar `path` is its discovery file's
 *
 * @typedef {object} ProductOptions
 * @property {string} [from] the vault to copy; without it only `notes` are in it
 * @property {Record<string, string>} [notes] path -> text
 * @property {string | null} [engine] the program chosen for this device; null: the plugin looks for one
 * @property {Record<string, string>} [env]
 * @property {"light" | "dark"} [theme]
 * @property {{ width: number, height: number }} [viewport]
 * @property {unknown} [data] the plugin's data.json
 * @property {boolean} [clock] the test moves the clock of the page
 */

if (process.argv[1]?.endsWith(".test.mjs")) after(closeSharedBrowser);

/**
 * Wait until a condition holds.
 *
 * @template T
 * @param {() => T | Promise<T>} condition gives something true in the end
 * @param {string} what is waited for, for the message
 * @returns {Promise<NonNullable<T>>} what the condition gave
 */
export async function until(condition, what) {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const value = await condition();
    if (value) return /** @type {NonNullable<T>} */ (value);
    if (performance.now() > deadline) assert.fail(`${what}: not within ${DEADLINE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Whether a process runs. One that has ended and was not yet seen out does not.
 *
 * @param {number} pid
 */
export function isRunning(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (!existsSync("/proc/self/stat")) return true;
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.[0] !== "Z";
  } catch {
    return false; // it left between the two questions
  }
}

/**
 * The app with the plugin installed and not yet enabled; `start` enables it and opens the pane.
 *
 * @param {ProductOptions} [options]
 */
export async function openProduct({ from, notes = {}, engine = ENGINE, env = {}, ...rest } = {}) {
  const vault = copyVault(from, notes);
  const home = temporaryFolder("home");
  const host = await openHost({
    vault: vault.path,
    // HOME as well: programs are looked for below it, and what this machine's user has installed is no part of a test.
    env: { HOME: home.path, USERPROFILE: home.path, QUARRY_HOME: home.path, ...env },
    localStorage: engine === null ? {} : { [ENGINE_PATH_KEY]: engine },
    ...rest,
  });
  return new Product(host, vault, home);
}

/**
 * The product for all tests of a file, started; closed after them.
 *
 * @param {ProductOptions} options
 * @param {(product: Product) => unknown} [beforeStart]
 */
export async function startProduct(options, beforeStart) {
  const product = await openProduct(options);
  after(() => product.close());
  await beforeStart?.(product);
  await product.start();
  return product;
}

/** Why a test of a machine without an engine cannot run here, or false. */
export function notBare() {
  if (process.platform === "win32") return "needs a link to a program";
  return ["/usr/local/bin/quarry", "/opt/homebrew/bin/quarry"].some((path) => existsSync(path)) && "quarry is installed for all users of this machine";
}

export class Product {
  /**
   * @param {import("./harness.mjs").Host} host
   * @param {{ path: string, remove(): void }} vault
   * @param {{ path: string, remove(): void }} home
   */
  constructor(host, vault, home) {
    this.host = host;
    this.page = host.page;
    this.vault = vault;
    this.home = home;
    this.pane = host.page.locator(".quarry-pane");
    this.input = this.pane.locator(".search-input-container input");
    this.panel = this.pane.locator(".quarry-panel");
  }

  /** Enable the plugin, open the pane, wait until every note can be found. */
  async start() {
    await this.host.enable();
    await this.openPane();
    await this.live();
  }

  async openPane() {
    await this.host.runCommand("open-search");
    await this.pane.waitFor();
  }

  async live() {
    await this.freshness("live");
  }

  /** @param {string} state of the index, as the pane's last line shows it */
  async freshness(state) {
    await this.pane.locator(`.quarry-foot[data-state="${state}"]`).waitFor({ state: "attached" }); // hidden where the body says so
  }

  /** @param {string} state of the pane's body */
  async shows(state) {
    await this.page.locator(`.quarry-pane[data-state="${state}"]`).waitFor();
  }

  /**
   * Put a query into the box and wait for its answer.
   *
   * @param {string} query
   * @returns {Promise<Row[]>}
   */
  async search(query) {
    await this.input.fill(""); // or the same query once more would change nothing, and keep the selection
    await this.input.fill(query);
    await this.answered();
    return this.rows();
  }

  /** @param {readonly string[]} keys pressed in the box, one after the other */
  async press(...keys) {
    for (const key of keys) await this.input.press(key);
  }

  /** @param {"hybrid" | "keyword" | "semantic"} mode to search in from now on */
  async searchBy(mode) {
    await this.pane.locator(`.quarry-mode[data-mode="${mode}"]`).click();
    await this.pane.locator(`.quarry-mode[data-mode="${mode}"][aria-pressed="true"]`).waitFor();
    await this.answered();
  }

  /** Wait until what is in the box has been answered. */
  async answered() {
    await this.page.locator(`.quarry-pane:not([data-state="searching"])`).waitFor();
  }

  /** @returns {Promise<Row[]>} */
  async rows() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".quarry-hit")].map((row) => {
        const text = (/** @type {string} */ selector) => row.querySelector(selector)?.textContent ?? "";
        const [title, snippet] = [row.querySelector(".quarry-title"), row.querySelector(".quarry-snippet")];
        const marked = (/** @type {Element | null} */ el, /** @type {string} */ name) => [...(el?.querySelectorAll(name) ?? [])].map(({ textContent }) => textContent ?? "");
        return {
          path: title?.getAttribute("title") ?? "",
          title: text(".quarry-title"),
          why: text(".quarry-why"),
          age: text(".quarry-age"),
          trail: text(".quarry-trail"),
          snippet: text(".quarry-snippet"),
          titleWords: marked(title, ".search-result-file-matched-text"),
          words: marked(snippet, ".search-result-file-matched-text"),
          sentences: marked(snippet, ".quarry-sentence"),
          isSelected: row.querySelector(".quarry-option")?.getAttribute("aria-selected") === "true",
        };
      }),
    );
  }

  /**
   * Wait until the rows are as wanted.
   *
   * @param {(rows: Row[]) => boolean} isWanted
   * @param {string} what
   */
  async rowsUntil(isWanted, what) {
    return until(async () => {
      const rows = await this.rows();
      return isWanted(rows) ? rows : null;
    }, what);
  }

  /** What the panel says and offers: `title`, `detail`, `commands`, `actions`. */
  async panelWords() {
    return this.page.evaluate(() => {
      const panel = document.querySelector(".quarry-panel");
      const texts = (/** @type {string} */ selector) => [...(panel?.querySelectorAll(selector) ?? [])].map((el) => el.textContent ?? "");
      return {
        title: texts(".quarry-panel-title").join(),
        detail: texts(".quarry-panel-detail").join(),
        commands: texts(".quarry-panel-command code"),
        actions: texts(".quarry-panel-actions button"),
      };
    });
  }

  /** @returns {Promise<string>} the line above the rows */
  async adjustments() {
    return (await this.pane.locator(".quarry-line").textContent()) ?? "";
  }

  /** @param {RegExp} words of a line above the rows to wait for */
  async adjusted(words) {
    await this.pane.locator(".quarry-line", { hasText: words }).waitFor();
  }

  /** @returns {Promise<string>} what the pane's last line says */
  async freshnessWords() {
    return this.pane.locator(".quarry-status-text").innerText();
  }

  /**
   * Wait until a note is in front of the user, and give it.
   *
   * @param {string} path
   * @param {(note: import("./host/page/driver").ActiveNote) => boolean} [isThere] whether the jump has landed
   */
  async opened(path, isThere = () => true) {
    return until(async () => {
      const note = await this.host.activeNote();
      return note?.path === path && note.eState && isThere(note) ? note : null;
    }, `${path} is opened at its passage`);
  }

  /**
   * The requests and notifications that the page sends while something is done.
   *
   * @param {() => Promise<void>} act
   * @returns {Promise<{ id?: number, method: string, params: Record<string, unknown> }[]>}
   */
  async sentRequests(act) {
    const session = await this.page.context().newCDPSession(this.page);
    /** @type {{ id?: number, method: string, params: Record<string, unknown> }[]} */
    const sent = [];
    session.on("Network.webSocketFrameSent", ({ response }) => sent.push(JSON.parse(response.payloadData)));
    await session.send("Network.enable");
    await act();
    await session.detach();
    return sent;
  }

  /** The sidecar that serves this vault now, or undefined. */
  discovery() {
    return findSidecar(this.home.path);
  }

  /** @returns {Promise<Sidecar>} */
  async sidecar() {
    return until(() => this.discovery(), "a sidecar serves the vault");
  }

  /**
   * Run `quarry` on this vault as a person would in a terminal.
   *
   * @param {string} command
   * @param {...string} args
   */
  async cli(command, ...args) {
    return run(ENGINE, [command, "--vault", this.vault.path, ...args], { QUARRY_HOME: this.home.path });
  }

  /** Close the app, end what its tools started, remove the folders. Fails if a process stayed, or the page had errors. */
  async close() {
    const errors = this.host.errors();
    const { killed } = await this.host.close();
    const left = this.discovery();
    if (left) {
      process.kill(left.pid); // started by a tool of this test: meant to outlive the app, but not the test
      await until(() => !isRunning(left.pid), "the sidecar of a tool ends when it is told to");
    }
    this.vault.remove();
    this.home.remove();
    assert.deepEqual([killed, errors], [[], []], "programs that did not leave with the app, and errors of the page");
  }
}

/**
 * The sidecar that runs below a QUARRY_HOME, by its discovery file; undefined when there is none.
 *
 * @param {string} home
 * @returns {Sidecar | undefined}
 */
export function findSidecar(home) {
  const folder = join(home, "run");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  for (const name of names) {
    const path = join(folder, name);
    const found = readJson(path);
    if (found && isRunning(found.pid)) return { path, ...found };
  }
  return undefined;
}

/**
 * Run a program to its end.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function run(file, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (text) => (output.stdout += text));
    child.stderr.on("data", (text) => (output.stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
  });
}

/**
 * @param {string} path
 * @returns {{ pid: number, port: number, token: string } | undefined}
 */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined; // gone, or not yet whole
  }
}
