/** Measures the time from a key to the painted rows, and how much of the page is laid out for them. */

export const TYPING_MS = 120; // between two keys of a fast typist: the plugin asks at once when the last key is that long ago

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
