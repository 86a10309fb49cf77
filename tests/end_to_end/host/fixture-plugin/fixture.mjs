/** Shared by the tests of the host: a small plugin, a small vault, and a program to start. */
import { fileURLToPath } from "node:url";

/** @param {string} name */
const fixture = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The plugin in this folder. */
export const PLUGIN = { mainJs: fixture("main.js"), manifest: fixture("manifest.json"), styles: fixture("styles.css") };

/** Path -> text. */
export const NOTES = {
  "Daily/2026-01-02.md": "# Friday\n\nWater the fig tree.\n",
  "Projects/Garden/Fig tree.md": "# Fig tree\n\n## Soil\n\nSandy, with [[Compost]].\n",
  "Projects/Garden/Compost.md": "Leaves and peel.\n",
  "Windows.md": "first\r\nsecond\r\nthird\r\n",
};

/** Answers each line with itself, and leaves when stdin closes. */
export const ECHO = 'process.stdin.on("data", (data) => process.stdout.write(data))';
/** The same, but deaf to its stdin closing. */
export const DEAF = `${ECHO}; setInterval(() => {}, 1000)`;

/**
 * What the plugin heard since this was last asked.
 *
 * @param {import("../../harness.mjs").Host} host
 * @returns {Promise<string[]>}
 */
export const heard = (host) => host.page.evaluate(() => Reflect.get(window, "fixture").heard.splice(0));

/**
 * Let the plugin start a Node program.
 *
 * @param {import("../../harness.mjs").Host} host
 * @param {string} script
 * @returns {Promise<{ pid: number, text: string }>} its pid and its answer to "ping"
 */
export const echo = (host, script) =>
  host.page.evaluate(([program, code]) => Reflect.get(window, "fixture").echo(program, ["-e", code]), /** @type {const} */ ([process.execPath, script]));

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
