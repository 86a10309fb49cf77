/**
 * Takes pictures of the views: `node tests/end_to_end/screenshots.mjs [NAME...]`, after `npm run build`.
 *
 * Those of the README go to docs/images, the others to tests/end_to_end/out. The plugin as built, with the real sidecar,
 * on the sample vault: what a user sees.
 */
import { mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { closeSharedBrowser } from "./browser.mjs";
import { PICTURES as FOLDER, SAMPLE, openProduct } from "./product.mjs";

const README_FOLDER = fileURLToPath(new URL("../../docs/images", import.meta.url));
const NOTE = "Howto/Fix a sticking key.md";
/** Without Markdown but its heading: the host's editor shows the signs. */
const PLAIN = "Recipes/Elderflower cordial.md";
const DAY_MS = 86_400_000;

const fence = (/** @type {string} */ text) => `\`\`\`quarry\n${text}\n\`\`\`\n`;
const DASHBOARD = "Dashboards/Open questions.md";
const BLOCKS = {
  [DASHBOARD]: `What is said about keys that stick:\n\n${fence("sticking key\nlimit: 4")}\n\nHow many notes are about bellows:\n\n${fence("bellows\nshow: count")}\n`,
};

/** @typedef {import("./product.mjs").Product} Product */

/**
 * @typedef {object} Picture
 * @property {(product: Product) => Promise<unknown>} show
 * @property {"light" | "dark"} [theme]
 * @property {{ width: number, height: number }} [viewport]
 * @property {number} [pane] its width in pixels
 * @property {Record<string, string>} [notes] beside the sample's
 * @property {boolean} [inReadme]
 */

const search = (/** @type {string} */ query) => (/** @type {Product} */ product) => product.search(query);

/** Searches, and waits until typing counts as finished, so that the line above the rows says what is to be said. @param {string} query */
const remarked = (query) => async (/** @type {Product} */ product) => {
  await product.search(query);
  await product.page.locator('.quarry-line[data-tone="remark"]').first().waitFor();
};

/** Searches beside a note that is being read. @param {string} query */
function beside(query) {
  return async (/** @type {Product} */ product) => {
    await product.host.openNote(PLAIN);
    await product.search(query);
  };
}

/** Opens the best note of a query, and goes back to the box. @param {string} query */
const opened = (query) => async (/** @type {Product} */ product) => {
  const [best] = await product.search(query);
  await product.input.press("Enter");
  await product.opened(best?.path ?? "", ({ flashed }) => flashed.length > 0);
  await product.input.focus();
};

/** @param {string} command @param {string} selector of what it shows */
const command = (command, selector) => async (/** @type {Product} */ product) => {
  await product.host.openNote(NOTE);
  await product.host.runCommand(command);
  await product.page.locator(selector).first().waitFor();
};

/** @type {Record<string, Picture>} */
const PICTURES = {
  "pane-light": { show: opened("ship harmonium"), inReadme: true },
  "pane-dark": { show: opened("sticking key"), theme: "dark" },
  "narrow": { show: search("sticking key"), pane: 250 },
  "wide": { show: search("sticking key"), pane: 700 },
  "empty-box": { show: async (product) => { await product.host.openNote(NOTE); await product.input.fill(""); await product.input.focus(); await product.page.waitForTimeout(1_500); } },
  "filters": { show: beside("tag:howto [status:blocked] glue"), inReadme: true },
  "weak": { show: remarked("zebra accordion quantum") },
  "chips": { show: search('bellows path:Howto -glue modified:>2020 "button row"') },
  "question": { show: opened("how long does hide glue keep in the fridge?"), theme: "dark" },
  "related": { show: command("open-related", ".quarry-related .quarry-hit") },
  "live-block": { show: async (product) => { await product.host.openNote(DASHBOARD, "preview"); await product.page.locator(".quarry-block .quarry-title").first().waitFor(); }, notes: BLOCKS, inReadme: true },
  "quick-search": { show: quickSearch, inReadme: true },
  "inspector": { show: command("open-inspector", ".quarry-inspect-row") },
  "peek": { show: peek },
  "several": { show: async (product) => { await product.search("sticking key"); for (let row = 0; row < 3; row += 1) await product.input.press("Shift+ArrowDown"); } },
  "regex": { show: search("/tun(e|ing)\\b/ reed") },
  "bad-regex": { show: search("/v(/") },
  "explain": { show: async (product) => { await product.search("sticking key"); await command("explain-note", ".quarry-explain")(product); } },
  "key-sheet": { show: async (product) => { await product.input.fill(""); await product.input.press("?"); await product.page.locator(".quarry-keys").waitFor(); } },
  "in-note": { show: inNote },
  "settings": { show: async (product) => product.host.openSettings() },
};

/** @param {Product} product */
async function quickSearch(product) {
  await product.host.openNote(PLAIN);
  await product.host.runCommand("quick-search");
  const dialog = product.page.locator(".modal.quarry-quick");
  await dialog.locator("input").fill("leak bellows");
  await dialog.locator(".quarry-quick-preview .quarry-lit").first().waitFor();
}

/** @param {Product} product */
async function peek(product) {
  await product.host.openNote(NOTE);
  await product.search("leak bellows");
  for (const key of ["ArrowDown", "ArrowUp", " "]) await product.input.press(key);
  await product.page.locator(".quarry-peek .quarry-lit").first().waitFor();
}

/** @param {Product} product */
async function inNote(product) {
  await product.host.openNote(NOTE);
  await product.host.runCommand("search-in-note");
  await product.page.locator(".quarry-note-search input").fill("spring");
  await product.page.waitForTimeout(500);
}

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

/** @param {string} name @param {Picture} picture */
async function take(name, { show, theme = "light", viewport = { width: 1000, height: 620 }, pane = 330, notes = {}, inReadme = false }) {
  const product = await openProduct({ from: SAMPLE, notes, viewport });
  try {
    spreadTimes(product.vault.path);
    await product.start();
    await product.host.theme(theme);
    await product.page.addStyleTag({ content: `.workspace-split.mod-right-split { width: ${pane}px !important; } .status-bar { display: none; }` });
    await show(product);
    const path = join(inReadme ? README_FOLDER : FOLDER, `${name}.png`);
    await product.host.screenshot(path);
    console.log(path);
  } finally {
    await product.close();
  }
}

const wanted = process.argv.slice(2);
for (const folder of [README_FOLDER, FOLDER]) mkdirSync(folder, { recursive: true });
for (const [name, picture] of Object.entries(PICTURES)) {
  if (wanted.length === 0 || wanted.includes(name)) await take(name, picture).catch((error) => { console.error(`${name}: ${error}`); process.exitCode = 1; });
}
await closeSharedBrowser();
