/**
 * Measures the plugin's part of a search: `node tests/end_to_end/performance.mjs VAULT [KEYS]`, after `npm run build`.
 *
 * The plugin as built, in Chromium, with the real sidecar over the real socket, on a copy of VAULT. Prints the size of
 * main.js, the time to load it with `onload` (without what the test host waits for its Node side), from a key to the painted
 * answer to what is in the box by then and what that goes to, the slowest keys, and the layout that a key causes. The answer is
 * rows, or the line that no note has the word so far; how often it is the line is printed as well.
 */
import { statSync } from "node:fs";
import { closeSharedBrowser } from "./browser.mjs";
import { QUARRY } from "./harness.mjs";
import { openProduct } from "./product.mjs";

const LOADS = 10;
const TYPING_MS = 120; // between two keys of a fast typist: the plugin asks at once when the last key is that long ago
const INDEXING_MS = 20 * 60_000; // a large vault on a slow machine
const SLOWEST = 5;
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
  const { times, phases, answers } = await typed(page, Number(keys));
  const after = await layoutWork(session);

  console.log(`main.js                 ${Math.round(statSync(QUARRY.mainJs).size / 1024)} KB`);
  console.log(`load and onload         ${figures(loads)}`);
  console.log(`key to painted answer   ${figures(times)}, ${answers.filter(({ state }) => state === "unmatched").length} of them without rows`);
  console.log(`  until it is sent      ${figures(phases.map(({ input }) => input))}`);
  console.log(`  until the answer      ${figures(phases.map(({ engine }) => engine))}`);
  console.log(`  until rows are drawn  ${figures(phases.map(({ rows }) => rows))}`);
  console.log(`  until they are seen   ${figures(phases.map(({ paint }) => paint))}`);
  const slowest = answers.map(({ text }, at) => ({ text, ms: times[at] ?? 0 })).sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  console.log(`  the slowest           ${slowest.map(({ text, ms }) => `${JSON.stringify(text)} ${Math.round(ms)} ms`).join(", ")}`);
  console.log(`layout work a key       ${per(after.layoutMs - before.layoutMs)} ms, styles ${per(after.styleMs - before.styleMs)} ms`);

  /** @param {number} total */
  function per(total) {
    return (total / times.length).toFixed(1);
  }
} finally {
  await product.close();
  await closeSharedBrowser();
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
  const answers = [];
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
        answers.push({ text: await product.input.inputValue(), state: await product.pane.getAttribute("data-state") });
        if (times.length === count) return { times, phases, answers };
      }
    }
  }
}

/**
 * The middle and the worst of some measurements, in whole milliseconds.
 *
 * @param {readonly number[]} values
 */
function figures(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms over ${sorted.length}`;
}

/**
 * Notes when searches are sent, when their answers come, and when the rows of those are in the document: the moments of the
 * latest are in `window.searchMoments`. To be called before the plugin connects.
 *
 * @param {import("playwright-core").Page} page
 */
async function watchSearches(page) {
  await page.evaluate(() => {
    const moments = { key: 0, sent: 0, came: 0, drawn: 0 };
    Object.assign(window, { searchMoments: moments });
    document.addEventListener("keydown", ({ timeStamp }) => { moments.key = timeStamp; }, { capture: true });
    const isAnswer = (/** @type {MessageEvent} */ { data }) => typeof data === "string" && data.includes('"hits"');
    const watched = new WeakSet();
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (/** @type {Parameters<WebSocket["send"]>[0]} */ frame) {
      if (!watched.has(this)) {
        watched.add(this);
        const handler = this.onmessage;
        this.onmessage = (event) => {
          if (isAnswer(event)) moments.came = performance.now();
          handler?.call(this, event);
        };
        // Behind the plugin's own handler and the promises that it settles, in which the rows are drawn.
        this.addEventListener("message", (event) => { if (isAnswer(event)) moments.drawn = performance.now(); });
      }
      if (typeof frame === "string" && frame.includes('"method":"search"')) moments.sent = performance.now();
      send.call(this, frame);
    };
  });
}

/**
 * What the time of the latest key went to, in milliseconds.
 *
 * @param {import("playwright-core").Page} page after `watchSearches`
 * @param {number} total from the key to the painted rows
 */
async function phasesOf(page, total) {
  const { key, sent, came, drawn } = await page.evaluate(() => /** @type {Window & { searchMoments?: any }} */ (window).searchMoments);
  return { input: sent - key, engine: came - sent, rows: drawn - came, paint: key + total - drawn };
}

/**
 * Press a key in the box; how long until the frame with its answer was painted.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} letter
 * @param {number} pauseMs since the key before
 * @returns {Promise<number>} milliseconds since the key's own time stamp
 */
async function keyToPaint(page, letter, pauseMs) {
  const painted = page.evaluate(
    () =>
      new Promise((resolve) => {
        const pane = /** @type {HTMLElement} */ (document.querySelector(".quarry-pane"));
        pane.addEventListener(
          "keydown",
          ({ timeStamp }) => {
            const observer = new MutationObserver(() => {
              if (pane.dataset.state === "searching") return;
              observer.disconnect();
              // The callback runs before the frame is painted; a task after it runs when it has been.
              requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp), 0));
            });
            observer.observe(pane, { attributes: true, attributeFilter: ["data-state"] });
          },
          { once: true, capture: true },
        );
        pane.dataset.listening = "true";
      }),
  );
  await page.locator('.quarry-pane[data-listening="true"]').waitFor();
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  await page.keyboard.press(letter);
  const ms = await painted;
  await page.evaluate(() => delete (/** @type {HTMLElement} */ (document.querySelector(".quarry-pane")).dataset.listening));
  return Number(ms);
}

/**
 * What the browser has laid out and styled since the page was opened.
 *
 * @param {import("playwright-core").CDPSession} session
 * @returns {Promise<{ layouts: number, layoutMs: number, styleMs: number }>}
 */
async function layoutWork(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (/** @type {string} */ name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { layouts: value("LayoutCount"), layoutMs: value("LayoutDuration") * 1000, styleMs: value("RecalcStyleDuration") * 1000 };
}
