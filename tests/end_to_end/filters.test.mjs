/** Filters of the query are chips, hits can be sorted, and all of them can be reached, page by page. */
import assert from "node:assert/strict";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const COUNT = 140;
const NOTES = Object.fromEntries(
  Array.from({ length: COUNT }, (_, at) => [`Log/Day ${String(at)}.md`, `---\ntags: [log]\n---\nThe accordion was tuned for ${String(at)} minutes today, reed by reed.\n`]),
);

const product = await startProduct({ notes: NOTES, viewport: { width: 900, height: 700 } }, ({ vault }) => {
  for (const [at, path] of Object.keys(NOTES).entries()) {
    const time = new Date(Date.UTC(2026, 0, 1) + ((at * 37) % COUNT) * 3_600_000);
    utimesSync(join(vault.path, path), time, time);
  }
});
const { host, page } = product;

describe("filters, order and pages", () => {
  const chips = () => product.pane.locator(".quarry-chip");
  const listTop = async () => (await product.pane.locator(".quarry-body").boundingBox())?.y;

  test("a chip for each filter, which a click or Backspace takes out of the text; the list stays where it is", async () => {
    await product.search("accordion");
    const before = await listTop();
    await product.search('accordion #log folder:Log -draft');
    await until(async () => (await chips().count()) === 3, "the pane shows it");
    const texts = await product.pane.locator(".quarry-chip-text").allInnerTexts();
    await chips().nth(1).click();
    await until(async () => (await product.input.inputValue()) === "accordion #log -draft", "the pane shows it");
    await until(async () => (await chips().count()) === 2, "the pane shows it");
    await chips().first().focus();
    await page.keyboard.press("Backspace");
    await until(async () => (await product.input.inputValue()) === "accordion -draft", "the pane shows it");
    await until(async () => (await chips().count()) === 1, "the pane shows it");

    assert.deepEqual(texts, ["#log", "folder:Log", "-draft"]);
    assert.equal(await page.evaluate(() => document.activeElement?.className.includes("quarry-chip")), true);
    assert.equal(await listTop(), before);
    await product.search("accordion OR #log");
    await until(async () => (await chips().getAttribute("aria-disabled").catch(() => null)) === "true", "the pane shows it");
  });

  test("words about time are a chip, which a click makes words again; where no note is left, they are words", async () => {
    await product.search("accordion from January 2026");
    await until(async () => (await chips().count()) === 1, "the pane shows it");
    const text = await product.pane.locator(".quarry-chip-text").innerText();
    const tip = await chips().first().getAttribute("aria-label");
    if (process.env.QUARRY_SHOT) await host.screenshot(process.env.QUARRY_SHOT);
    await chips().first().click();
    await until(async () => (await product.input.inputValue()) === "accordion (from January 2026)", "the pane shows it");
    await until(async () => (await chips().count()) === 0, "the pane shows it");
    await product.search("accordion from November 2025");

    assert.equal(text, "from January 2026");
    assert.match(tip ?? "", /read as \(created:2026-01 OR modified:2026-01 OR file:2026-01\)/u);
    await product.pane.locator(".quarry-line", { hasText: "The words are searched for instead." }).waitFor();
  });

  test("no filter is dropped: the one that no note meets is named, and one click takes it away, or all of them", async () => {
    await product.search("accordion folder:Log -draft [status:done] tag:log");
    const words = await product.panelWords();
    const before = await product.rows();
    await product.pane.locator('[data-action="remove-filter"]').click();
    await until(async () => (await product.input.inputValue()) === "accordion folder:Log -draft tag:log", "the filter is gone");
    await product.answered();
    const found = await product.rows();
    await product.search("accordion folder:Log -draft [status:done] tag:log");
    await product.pane.locator('[data-action="drop-filters"]').click();
    await until(async () => (await product.input.inputValue()) === "accordion -draft", "the filters are gone");

    assert.deepEqual(before, []);
    assert.deepEqual([words.title, words.actions], ["No notes with [status:done]", ["Remove [status:done]", "Search without filters"]]);
    assert.ok(found.length > 0);
  });

  test("the chip of a phrase that no note has is struck through while its words are searched for", async () => {
    await product.search('#log "tuned accordion"');
    await until(async () => (await chips().count()) === 2, "the pane shows it");

    assert.deepEqual(await product.pane.locator("s.quarry-chip-text").allInnerTexts(), ['"tuned accordion"']);
    assert.ok((await product.rows()).length > 0);
  });

  test("the plus offers the operators behind what was typed", async () => {
    await product.search("accordion");
    await product.pane.locator('[data-action="add-filter"]').click();
    await product.pane.locator(".quarry-completions:not(.is-hidden)").waitFor();
    await page.keyboard.press("Tab");

    assert.equal(await product.input.inputValue(), "accordion tag:");
    await page.keyboard.press("Escape");
  });

  test("hits stand in the order that is chosen", async () => {
    await product.search("accordion");
    await product.pane.locator(".quarry-sort").click();
    await page.locator(".menu-item", { hasText: "File name" }).click();
    await until(async () => (await product.rows())[2]?.path === "Log/Day 2.md", "the pane shows it");
    const names = (await product.rows()).slice(0, 3).map(({ path }) => path);
    await product.pane.locator(".quarry-sort").click();
    await page.locator(".menu-item", { hasText: "Modified" }).click();
    await until(async () => (await product.rows())[2]?.path !== "Log/Day 2.md", "the pane shows it");
    const newest = (await product.rows()).slice(0, 3).map(({ path }) => path);

    const byTime = Object.keys(NOTES).map((path, at) => ({ path, time: (at * 37) % COUNT })).sort((a, b) => b.time - a.time).map(({ path }) => path);
    assert.deepEqual(names, ["Log/Day 0.md", "Log/Day 1.md", "Log/Day 2.md"]);
    assert.deepEqual(newest, byTime.slice(0, 3));
  });

  test("every note that was found can be reached", async () => {
    await product.search("accordion"); // still sorted: all notes that hold the word
    const rows = await until(async () => {
      await product.pane.locator(".quarry-body").evaluate((body) => { body.scrollTop = body.scrollHeight; });
      const shown = await product.rows();
      return shown.length >= COUNT ? shown : null;
    }, "all rows are loaded");

    assert.equal(rows.length, COUNT);
    assert.equal(new Set(rows.map(({ path }) => path)).size, COUNT);
  });
});
