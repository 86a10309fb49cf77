/** Details of rows and keys: peeking, tags, corrected words, shares of a score, the history by keys, more of a passage, and what survives a restart. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const LONG = Array.from({ length: 40 }, (_, at) => `Line ${at} of the log is about wind and weather.`).join("\n\n");
const NOTES = {
  "Keel.md": `---\ntags: [boat, maintenance, spring]\n---\n# Keel\n\n${LONG}\n\n## Paint\n\nBefore the paint there is primer.\n\nThe keel was painted in spring with red paint.\n\nAfter the paint there is polish.\n`,
  "Hull.md": "# Hull\n\nHull and keel are scraped before the paint is laid on. See [[Rope]].\n",
  "Rope.md": "# Rope\n\nA rope is spliced with a fid.\n",
  ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`Logs/Day ${at}.md`, `# Day ${at}\n\nWeather on day ${at}: fair wind, sails set.\n`])),
};

const product = await startProduct({ notes: NOTES, viewport: { width: 1200, height: 700 } });
const { host, page } = product;
const peek = page.locator(".quarry-peek");

describe("details", () => {
  const box = async () => product.input.inputValue();

  test("Space is a space in the query until an arrow key has chosen a row, and then shows its passage beside the list", async () => {
    await host.openNote("Rope.md");
    await host.setCursor(2, 5);
    await product.search("keel painted");
    await product.input.press(" ");
    assert.equal(await box(), "keel painted ");
    await product.answered();

    await product.input.press("ArrowDown");
    const chosen = (await product.rows()).find(({ isSelected }) => isSelected);
    await product.input.press(" ");
    await peek.waitFor();

    assert.equal(await box(), "keel painted ", "no letter was written");
    assert.equal(await peek.locator(".quarry-peek-name").innerText(), chosen?.title);
    await peek.locator(".quarry-lit").first().waitFor();
    const [sheet, list] = [await peek.boundingBox(), await product.pane.boundingBox()];
    assert.ok(sheet && list && (sheet.x + sheet.width <= list.x || sheet.x >= list.x + list.width), "it stands beside the list");
  });

  test("it follows the arrows, with the words that were found in view", async () => {
    await product.input.press("ArrowUp");
    await peek.locator(".quarry-peek-name", { hasText: "Keel" }).waitFor();
    const lit = peek.locator(".quarry-lit", { hasText: /painted/i }).first();
    await lit.waitFor();
    const [word, sheet] = [await lit.boundingBox(), await peek.boundingBox()];
    assert.ok(word && sheet && word.y >= sheet.y && word.y <= sheet.y + sheet.height);
  });

  test("Escape closes it and the editor is as it was; the next Escape goes there", async () => {
    await product.input.press("Escape");
    await peek.waitFor({ state: "detached" });
    assert.equal(await product.input.evaluate((el) => el === document.activeElement), true);
    await product.input.press("Escape");

    const note = await host.activeNote();
    assert.deepEqual([note?.path, note?.cursor], ["Rope.md", { line: 2, ch: 5 }]);
  });

  test("a pointer on a row asks for Obsidian's preview of its note, at the passage, and shows no sheet", async () => {
    await product.search("keel painted");
    await page.evaluate(() => {
      const { app } = /** @type {any} */ (window);
      app.workspace.on("hover-link", (/** @type {any} */ { source, linktext, targetEl, state, hoverParent }) => {
        /** @type {any} */ (window).hovered = { source, linktext, row: targetEl.closest(".quarry-hit").getAttribute("aria-label"), line: state.scroll, hasPopover: "hoverPopover" in hoverParent };
      });
    });
    await page.mouse.move(2, 2);
    await page.keyboard.down("Control");
    await product.pane.locator(".quarry-hit[aria-label=Keel] .quarry-title").hover();
    const hovered = await until(() => page.evaluate(() => /** @type {any} */ (window).hovered), "a preview is asked for");
    await page.waitForTimeout(500); // longer than the sheet would wait
    await page.keyboard.up("Control");
    await page.mouse.move(2, 2);

    const sources = await page.evaluate(() => [.../** @type {any} */ (window).app.hostHoverSources]);

    assert.deepEqual([sources, await peek.count()], [[["quarry", { display: "Quarry", defaultMod: true }]], 0]);
    assert.deepEqual(hovered, { source: "quarry", linktext: "Keel.md", row: "Keel", line: hovered.line, hasPopover: true });
    assert.ok(hovered.line > 0, "the passage is not at the top");
  });

  test("further words close it and lose no space; Enter opens the note", async () => {
    await product.search("keel");
    await product.press("ArrowDown", " ");
    await peek.waitFor();
    await product.input.press("r");
    assert.equal(await box(), "keel r");
    await peek.waitFor({ state: "detached" });

    await product.search("keel painted");
    await product.press("ArrowDown", "ArrowUp", " ");
    await peek.waitFor();
    await product.input.press(" ");
    await peek.waitFor({ state: "detached" });
    await product.input.press(" ");
    await peek.waitFor();
    await product.input.press("Enter");
    await product.opened("Keel.md");
    assert.equal(await peek.count(), 0);
  });

  test("Tab leads into the passage, which scrolls by keys, and Escape back", async () => {
    await product.search("wind and weather");
    await product.press("ArrowDown", "ArrowUp", " ");
    await peek.waitFor();
    await product.input.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.className), "quarry-peek-passage");
    await page.keyboard.press("Escape");
    await peek.waitFor({ state: "detached" });
    assert.equal(await product.input.evaluate((el) => el === document.activeElement), true);
  });

  test("it closes when the keyboard leaves the list", async () => {
    await product.search("keel");
    await product.press("ArrowDown", " ");
    await peek.waitFor();
    await product.input.blur();
    await peek.waitFor({ state: "detached" });
  });

  test("a wide pane shows a note's tags, a narrow one does not", async () => {
    await product.search("keel painted");
    const tags = product.pane.locator(".quarry-hit").first().locator(".quarry-tag");
    const width = (/** @type {string} */ value) => page.locator(".workspace-split.mod-right-split").evaluate((el, to) => { /** @type {HTMLElement} */ (el).style.width = to; }, value);
    await width("300px");
    await tags.first().waitFor({ state: "hidden" });
    await width("600px");
    await tags.first().waitFor();
    assert.deepEqual([await tags.first().isVisible(), (await tags.allInnerTexts()).length <= 3, (await tags.allInnerTexts())[0]], [true, true, "#boat"]);
    await width("");
  });

  test("a corrected word is said once, above the rows it found", async () => {
    const [first] = await product.search("weahter sails");
    assert.match(await product.adjustments(), /“weather”.*“weahter”/);
    assert.match(`${first?.title}: ${first?.why}`, /^Day \d+: $/);
    assert.deepEqual(first?.words.map((word) => word.toLowerCase()), ["weather", "sails"]);
  });

  test("why a note is here is told with the share of each signal", async () => {
    await product.search("keel painted");
    await product.pane.locator(".quarry-hit").first().click({ button: "right" });
    await page.locator(".menu-item", { hasText: "Why is this here?" }).click();
    const dialog = page.locator(".modal", { has: page.locator(".quarry-explain") });
    await dialog.waitFor();
    const shares = await dialog.locator("progress").evaluateAll((bars) => bars.map((bar) => /** @type {HTMLProgressElement} */ (bar).value));
    assert.ok(shares.length > 0 && shares.every((share) => share > 0 && share <= 1), `${shares}`);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  test("Mod with up and down walks through earlier queries and back to what was typed", async () => {
    await product.search("rope spliced");
    await product.input.press("Enter");
    await product.opened("Rope.md");
    await product.search("hull scraped");
    await product.input.press("Enter");
    await product.opened("Hull.md");
    await product.input.focus();
    await product.input.fill("unfinished thou");
    await product.input.press("ControlOrMeta+ArrowUp");
    assert.equal(await box(), "hull scraped");
    await product.input.press("ControlOrMeta+ArrowUp");
    assert.equal(await box(), "rope spliced");
    await product.press("ControlOrMeta+ArrowDown", "ControlOrMeta+ArrowDown");
    assert.equal(await box(), "unfinished thou");
  });

  test("a query that the cross cleared comes back with Mod+Z, with Caps Lock too", async () => {
    for (const key of ["z", "Z"]) {
      await product.search("hull scraped");
      await product.pane.locator(".search-input-clear-button").click();
      assert.equal(await box(), "");
      await product.input.press(`ControlOrMeta+${key}`);
      assert.equal(await box(), "hull scraped");
    }
  });

  test("a command quotes what stands around the passage, another less again", async () => {
    const [first] = await product.search('"painted in spring"');
    const snippet = product.pane.locator(".quarry-hit").first().locator(".quarry-snippet");
    await host.runCommand("result-more-context");
    await until(async () => ((await snippet.innerText()).length > (first?.snippet.length ?? 0)), "more of the passage is shown");
    assert.match(await snippet.innerText(), /primer[^]*painted in spring/);
    await host.runCommand("result-less-context");
    await until(async () => (await snippet.innerText()) === first?.snippet, "the excerpt is back");
  });

  test("query, order and place in the list are there after a restart", async () => {
    await product.search("weather wind");
    await product.pane.locator('[data-action="sort"], .quarry-sort').first().click();
    await page.locator(".menu-item", { hasText: "Modified" }).click();
    await product.answered();
    const scrolled = () => product.pane.locator(".quarry-body").evaluate((el) => (el.scrollTop = 900) && el.scrollTop > 800);
    await until(scrolled, "the list is scrolled, below the rows that were loaded first");
    await host.restart();
    await product.pane.waitFor();
    await until(async () => (await box()) === "weather wind", "the query is back");
    await product.live();
    await until(async () => product.pane.locator(".quarry-body").evaluate((el) => el.scrollTop > 800), "the list is scrolled as it was");
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).app.workspace.getLeavesOfType("quarry-search")[0].view.getState().sort), "modified");
  });
});
