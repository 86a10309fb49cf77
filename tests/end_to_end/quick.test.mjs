/** The search as a dialog: the same list and keys over the note, which is as it was when the dialog is closed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const NOTES = {
  "Keel.md": `# Keel\n\n${"A line about nothing at all.\n\n".repeat(30)}## Paint\n\nThe keel was painted in spring with red paint.\n`,
  "Hull.md": "# Hull\n\nHull and keel are scraped before the paint is laid on.\n",
  "Rope.md": "# Rope\n\nA rope is spliced with a fid.\n",
};

const product = await startProduct({ notes: NOTES, viewport: { width: 1000, height: 700 } });
const { host, page } = product;
const dialog = page.locator(".modal.quarry-quick");

describe("quick search", () => {
  /** @param {string} query */
  async function ask(query) {
    await host.runCommand("quick-search");
    await dialog.locator("input").fill(query);
    await dialog.locator(".quarry-title").first().waitFor();
  }

  test("shows the rows of the pane, with the selected passage at the side and its words lit", async () => {
    await ask("keel painted");
    const lit = dialog.locator(".quarry-quick-preview .quarry-lit");
    await lit.first().waitFor();

    assert.equal(await dialog.locator(".quarry-title").first().innerText(), "Keel");
    assert.ok((await lit.allInnerTexts()).some((text) => /painted/i.test(text)));
    const box = await lit.first().boundingBox();
    const pane = await dialog.locator(".quarry-quick-preview").boundingBox();
    assert.ok(box && pane && box.y >= pane.y && box.y <= pane.y + pane.height, "the first lit word is in view");
  });

  test("an empty box offers the notes that were opened last, with the first in sight", async () => {
    await page.keyboard.press("Escape");
    await host.openNote("Hull.md");
    await host.openNote("Rope.md");
    await host.openNote("Keel.md");
    await host.runCommand("quick-search");
    await dialog.locator(".quarry-title").nth(1).waitFor();
    await dialog.locator(".quarry-quick-preview h1", { hasText: "Rope" }).waitFor();
    const offered = await dialog.locator(".quarry-title").allInnerTexts();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until(async () => (await host.activeNote())?.path === "Hull.md", "the second is opened");

    assert.deepEqual(offered, ["Rope", "Hull"]);
    await ask("keel painted");
  });

  test("the preview follows the arrows", async () => {
    await page.keyboard.press("ArrowDown");
    const second = await dialog.locator('[aria-selected="true"] .quarry-title').innerText();

    await dialog.locator(".quarry-quick-preview h1", { hasText: second }).waitFor();
  });

  test("a row at the end of the list is whole where it is selected, and fades out where it is cut", async () => {
    await page.setViewportSize({ width: 1000, height: 320 });
    await page.keyboard.press("ArrowDown");
    const body = dialog.locator(".quarry-body");
    const [fade, room] = await body.evaluate((el) => [getComputedStyle(el).maskImage, el.getBoundingClientRect().bottom - (el.querySelector(".is-selected")?.getBoundingClientRect().bottom ?? Infinity)]);
    await page.setViewportSize({ width: 1000, height: 700 });

    assert.match(fade ?? "", /gradient.*16px/u);
    assert.ok((room ?? 0) >= 16, `${room} px below the row`);
  });

  test("says above the rows which words were replaced, and searches for what was typed on demand", async () => {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await ask("paintd keel");
    const line = dialog.locator(".quarry-line");
    await line.getByText(/Showing results for “paint.*No notes contain “paintd”/).waitFor();

    await line.locator('[data-action="search-typed"]').click();
    await until(async () => (await dialog.locator("input").inputValue()) === '"paintd" keel', "the word is searched for as typed");
    await dialog.locator(".quarry-line[data-tone=remark]").waitFor();
  });

  test("Escape closes it, and the caret is where it was", async () => {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await host.openNote("Rope.md");
    await host.setCursor(2, 5);
    await ask("keel");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    const note = await host.activeNote();
    assert.deepEqual([note?.path, note?.cursor, note?.isFocused], ["Rope.md", { line: 2, ch: 5 }, true]);
  });

  test("Enter opens the passage and closes the dialog", async () => {
    await ask("keel painted");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });

    await product.opened("Keel.md", ({ flashed }) => flashed.length > 0);
  });

  test("a key takes the query to the pane", async () => {
    await ask("hull scraped");
    await page.keyboard.press("Control+Shift+F");
    await dialog.waitFor({ state: "detached" });

    await until(async () => (await product.input.inputValue()) === "hull scraped", "the pane has the query");
  });

  test("below 600 pixels there are rows alone", async () => {
    await page.setViewportSize({ width: 560, height: 700 });
    await ask("keel");

    assert.equal(await dialog.locator(".quarry-quick-preview").isVisible(), false);
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1000, height: 700 });
  });
});
