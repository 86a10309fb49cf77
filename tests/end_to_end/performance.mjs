/**
 * Measures the plugin's part of a search: `node tests/end_to_end/performance.mjs VAULT [KEYS]`, after `npm run build`.
 *
 * The plugin as built, in Chromium, with the real sidecar over the real socket, on a copy of VAULT. Prints the size of
 * main.js, the time to load it with `onload` (without what the test host waits for its Node side), from a key to the painted
 * rows and what that goes to, and the layout that a key causes.
 */
import { statSync } from "node:fs";
import { QUARRY } from "./harness.mjs";
import { TYPING_MS, keyToPaint, layoutWork, phasesOf, watchSearches } from "./painting.mjs";
import { figures, openProduct } from "./product.mjs";

const LOADS = 10;
const INDEXING_MS = 20 * 60_000; // a large vault on a slow machine
const TYPED = ["git branch rename", "weekly review", "zettelkasten", "how to sync notes", "daily note template", "reading list"];

const [vault, keys = "100"] = process.argv.slice(2);
if (!vault) {
  console.error("usage: node tests/end_to_end/performance.mjs VAULT [KEYS]");
  process.exit(2);
}

const product = await openProduct({ from: vault });
try {
  const { page, host } = product;
  await watchSearches(page);
  await host.enable();
  await product.openPane();
  await product.pane.locator('.quarry-foot[data-state="live"]').waitFor({ timeout: INDEXING_MS });
  for (let at = 0; at < LOADS; at += 1) await host.reload();
  const loads = await page.evaluate(() => performance.getEntriesByName("plugin loaded").map(({ duration }) => duration));
  await product.openPane();
  await product.live();

  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const before = await layoutWork(session);
  const { times, phases } = await typed(page, Number(keys));
  const after = await layoutWork(session);

  console.log(`main.js                 ${Math.round(statSync(QUARRY.mainJs).size / 1024)} KB`);
  console.log(`load and onload         ${figures(loads)}`);
  console.log(`key to painted rows     ${figures(times)}`);
  console.log(`  until it is sent      ${figures(phases.map(({ input }) => input))}`);
  console.log(`  until the answer      ${figures(phases.map(({ engine }) => engine))}`);
  console.log(`  until rows are drawn  ${figures(phases.map(({ rows }) => rows))}`);
  console.log(`  until they are seen   ${figures(phases.map(({ paint }) => paint))}`);
  console.log(`layout work a key       ${per(after.layoutMs - before.layoutMs)} ms, styles ${per(after.styleMs - before.styleMs)} ms`);

  /** @param {number} total */
  function per(total) {
    return (total / times.length).toFixed(1);
  }
} finally {
  await product.close();
}

/**
 * Type queries letter by letter, at the pace of a person, until there were enough keys.
 *
 * @param {import("playwright-core").Page} page
 * @param {number} count
 */
async function typed(page, count) {
  const times = [];
  const phases = [];
  for (;;) {
    for (const query of TYPED) {
      await product.search(query.slice(0, 2));
      for (const letter of query.slice(2)) {
        if (letter === " ") {
          await product.input.press("Space"); // asks nothing new, so nothing is painted
          continue;
        }
        const ms = await keyToPaint(page, letter, TYPING_MS);
        times.push(ms);
        phases.push(await phasesOf(page, ms));
        if (times.length === count) return { times, phases };
      }
    }
  }
}
