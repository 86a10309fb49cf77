/** Search inside the open note: steps through its passages in both views, with ticks, and leaves nothing behind. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const FILL = "Nothing of interest happened on this day at sea. ".repeat(20);
const PLACES = ["the keel was painted red", "keels are scraped first", "a keel of iron", "paint the keel twice", "the keel again"];
const NOTE = ["# Log", ...PLACES.flatMap((words, at) => [`## Day ${at + 1}`, FILL, `On that day ${words}.`])].join("\n\n");

const product = await startProduct({ notes: { "Log.md": NOTE, "Other.md": "# Other\n\nA keel of another boat.\n" }, viewport: { width: 1000, height: 700 } });
const { host, page } = product;
const bar = page.locator(".quarry-note-search");

describe("search inside the open note", () => {
  const count = () => bar.locator(".quarry-note-search-count");
  const ticks = () => page.locator(".quarry-tick");

  /** @param {"source" | "preview"} mode */
  async function ask(mode) {
    await host.openNote("Log.md", mode);
    await host.runCommand("search-in-note");
    await bar.locator("input").fill("keel");
    await count().filter({ hasText: /^1 of \d/ }).waitFor();
  }

  test("finds every passage with a word of the query, in the order of the text, and no other note", async () => {
    await ask("source");

    assert.equal(await count().innerText(), "1 of 5");
    assert.equal(await ticks().count(), 5);
    const tops = await ticks().evaluateAll((all) => all.map((el) => el.getBoundingClientRect().top));
    assert.deepEqual([...tops].sort((a, b) => a - b), tops);
  });

  test("Enter steps through them, with the words lit and nothing selected, and the box keeps the focus", async () => {
    const at = [];
    for (let step = 0; step < 5; step += 1) {
      await page.keyboard.press("Enter");
      at.push((await host.activeNote())?.selection.from ?? 0);
    }

    assert.deepEqual([...at.slice(0, 4)].sort((a, b) => a - b), at.slice(0, 4));
    assert.ok((at[4] ?? 0) < (at[0] ?? 0), "after the last comes the first");
    const note = await host.activeNote();
    assert.deepEqual([note?.selection.text, note?.text.slice(note.selection.from).startsWith("keel")], ["", true]);
    assert.equal(await bar.locator("input").evaluate((el) => el === document.activeElement), true);
  });

  test("a tick leads to its passage", async () => {
    await ticks().nth(3).click();

    assert.equal(await count().innerText(), "4 of 5");
    assert.equal(await ticks().nth(3).getAttribute("class"), "quarry-tick is-current");
  });

  test("a save of the note moves no caret", async () => {
    const before = (await host.activeNote())?.selection;
    await host.write("Log.md", `${NOTE}\n\n## Day 6\n\nThe keel, the sixth.\n`);
    await count().filter({ hasText: "of 6" }).waitFor();

    assert.deepEqual((await host.activeNote())?.selection, before);
  });

  test("Escape gives the focus back to the note, and nothing is left", async () => {
    await bar.locator("input").press("Escape");
    const sent = await product.sentRequests(async () => {
      await host.write("Log.md", NOTE);
      await page.waitForTimeout(800);
    });

    assert.equal(await page.locator(".quarry-note-search, .quarry-ticks, .quarry-searched").count(), 0);
    assert.equal((await host.activeNote())?.isFocused, true);
    assert.deepEqual(sent.filter(({ method }) => method === "search"), []);
  });

  test("works in reading view, and goes when another note is opened", async () => {
    await ask("preview");
    await page.keyboard.press("Enter");
    await page.locator(".markdown-reading-view .is-flashing").waitFor();
    await host.openNote("Other.md", "preview");

    await until(async () => (await page.locator(".quarry-note-search, .quarry-ticks").count()) === 0, "the bar is gone");
  });
});
