/**
 * Takes the screenshots of the README: `node tests/end_to_end/screenshots.mjs`, after `npm run build`.
 *
 * The plugin as built, with the real sidecar, on the sample vault: what a user sees after typing and pressing Enter.
 */
import { mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SAMPLE, openProduct } from "./product.mjs";

const FOLDER = fileURLToPath(new URL("../../docs/images", import.meta.url));
const VIEWPORT = { width: 1200, height: 800 };
const QUERY = "sticking key";
const DAY_MS = 86_400_000;

/**
 * Notes of one vault were not all written this minute: give each a time of its own, the same at every run.
 *
 * @param {string} vault
 */
function spreadTimes(vault) {
  const names = readdirSync(vault, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md")).sort();
  for (const [at, name] of names.entries()) {
    const time = new Date(Date.now() - ((at * 37) % 400) * DAY_MS - 3 * 3_600_000);
    utimesSync(join(vault, name), time, time);
  }
}

mkdirSync(FOLDER, { recursive: true });
const product = await openProduct({ from: SAMPLE, viewport: VIEWPORT });
try {
  spreadTimes(product.vault.path);
  await product.start();
  await product.search(QUERY); // the first search after a start takes longer than any other
  const [best] = await product.search(QUERY);
  await product.input.press("Enter");
  await product.opened(best?.path ?? "", ({ selection }) => selection.text !== "");
  await product.input.focus();
  for (const theme of /** @type {const} */ (["light", "dark"])) {
    await product.host.theme(theme);
    await product.host.screenshot(join(FOLDER, `pane-${theme}.png`));
    console.log(join(FOLDER, `pane-${theme}.png`));
  }
} finally {
  await product.close();
}
