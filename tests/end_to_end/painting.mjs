/** Measures the time from a key to the painted rows, and how much of the page is laid out for them. */

export const TYPING_MS = 120; // between two keys of a fast typist: the plugin asks at once when the last key is that long ago

/**
 * Notes when searches are sent, when their answers come, and when the rows of those are in the document: the moments of the
 * latest are in `window.searchMoments`. To be called before the plugin connects.
 *
 * @param {import("playwright-core").Page} page
 */
export async function watchSearches(page) {
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
export async function phasesOf(page, total) {
  const { key, sent, came, drawn } = await page.evaluate(() => /** @type {Window & { searchMoments?: any }} */ (window).searchMoments);
  return { input: sent - key, engine: came - sent, rows: drawn - came, paint: key + total - drawn };
}

/**
 * Press a key in the box; how long until the frame with its answer's rows was painted.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} letter
 * @param {number} pauseMs since the key before
 * @returns {Promise<number>} milliseconds since the key's own time stamp
 */
export async function keyToPaint(page, letter, pauseMs) {
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
export async function layoutWork(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  const value = (/** @type {string} */ name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return { layouts: value("LayoutCount"), layoutMs: value("LayoutDuration") * 1000, styleMs: value("RecalcStyleDuration") * 1000 };
}
