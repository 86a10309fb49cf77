/** A query is parsed as intended and completed, and the pane says how it was corrected or relaxed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SAMPLE, startProduct } from "./product.mjs";

const NOTES = { "Birds/Table.md": "| bird | sound |\n|---|---|\n| heron | kroarkish |\n| swift | shriek |\n" };

const product = await startProduct({ from: SAMPLE, notes: NOTES });
const { host, page } = product;

describe("the query", () => {
  test("an operator and its value are completed from the vault, by keyboard alone", async () => {
    await product.input.fill("glue -ta");
    await product.input.press("Tab");
    await page.keyboard.type("how");
    const offered = await product.pane.locator(".quarry-completion-label").allTextContents();
    await product.input.press("ArrowDown");
    const active = await product.input.getAttribute("aria-activedescendant");
    const marked = await product.pane.locator(".quarry-completion.is-selected").getAttribute("id");
    await product.input.press("Enter");
    await product.answered();

    assert.equal(offered[0], "howto");
    assert.equal(active, marked);
    assert.equal(await product.input.inputValue(), "glue -tag:howto ");
    assert.ok((await product.rows()).length > 0);
    assert.equal(await product.pane.locator(".quarry-completions").isVisible(), false);
  });

  test("suggestions lie over the rows, which do not move", async () => {
    await product.search("bellows");
    const top = () => product.pane.locator(".quarry-hit").first().evaluate((el) => el.getBoundingClientRect().top);
    const before = await top();
    await host.runCommand("show-operators");
    const during = await top();
    const isOver = await product.pane.locator(".quarry-completion").first().evaluate((el) => {
      const { left, top, width, height } = el.getBoundingClientRect();
      return el.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    });
    await product.input.press("Escape");

    assert.equal(during, before);
    assert.ok(isOver);
    assert.equal(await product.input.inputValue(), "bellows");
  });

  test("a row says why it is there, and a command why a note is not", async () => {
    await product.search("kroarkish folder:Birds");
    await product.pane.getByRole("option").first().click({ button: "right" });
    await page.locator(".menu-item", { hasText: "Why is this here?" }).click();
    const why = await page.locator(".quarry-explain p").innerText();
    const signals = await page.locator(".quarry-explain dt").allInnerTexts();
    await page.keyboard.press("Escape");
    await host.openNote("Home.md");
    await host.runCommand("explain-note");
    const whyNot = await page.locator(".quarry-explain p").innerText();
    await page.keyboard.press("Escape");

    assert.match(why, /^It ranks 1 of /);
    assert.ok(signals.length > 1);
    assert.match(whyNot, /Birds/);
  });

  test("the count tells how the query was understood", async () => {
    await product.search("bellows folder:Howto");

    assert.match((await product.pane.locator(".quarry-remark").getAttribute("aria-description")) ?? "", /^Searched for notes in Howto, .*bellows\. · \d+ ms$/);
  });

  test("the query's words are marked in titles", async () => {
    await product.search("bellows");
    const marked = await product.pane.locator(".quarry-title .search-result-file-matched-text").allTextContents();

    assert.ok(marked.length > 0);
    for (const word of marked) assert.match(word, /^bellow/i);
  });
});
