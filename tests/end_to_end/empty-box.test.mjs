/** An empty box offers what to search for and what to open; out of sight, or with a query, it asks nothing. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SAMPLE, startProduct, until } from "./product.mjs";

const product = await startProduct({ from: SAMPLE, viewport: { width: 1000, height: 900 }, data: { saved: ["hide glue"] } });
const { host, page } = product;

describe("the empty box", () => {
  const pane = () => page.locator(".quarry-pane:not(.quarry-related)");
  const examples = () => pane().locator(".quarry-example .quarry-recent-text");
  const sections = () => pane().locator(".quarry-divider-text").allInnerTexts();

  test("saved searches, then three examples that their notes answer", async () => {
    await until(async () => (await examples().count()) === 3, "three examples are there");
    const [query] = await examples().allInnerTexts();
    assert.deepEqual((await sections()).slice(0, 2), ["Saved searches", "Examples from your notes"]);

    await examples().first().click();
    await pane().locator(".quarry-hit").first().waitFor();
    assert.equal(await product.input.inputValue(), query);
    await product.input.fill("");
    await examples().first().waitFor();
  });

  test("the notes related to the open one stand below all else, and follow it", async () => {
    await host.openNote("Howto/Rotate SSH keys.md");
    await until(async () => (await sections()).includes("Related to Rotate SSH keys"), "they are there");
    assert.equal((await sections()).at(-1), "Related to Rotate SSH keys");
    assert.equal(await pane().locator(".quarry-hit").count(), 5);

    await host.openNote("Howto/Make hide glue.md");
    await until(async () => (await sections()).includes("Related to Make hide glue"), "they follow");
  });

  test("with a query nothing is asked for the empty box", async () => {
    await product.search("glue");
    const sent = await product.sentRequests(async () => {
      await host.openNote("Howto/Rotate SSH keys.md");
      await page.waitForTimeout(800); // longer than it takes to follow
    });

    assert.deepEqual(sent.filter(({ method }) => ["related", "search/examples"].includes(method)), []);
    await product.input.fill("");
    await until(async () => (await sections()).includes("Related to Rotate SSH keys"), "it catches up");
  });

  test("a recent search is saved and forgotten by its menu, and a saved one is a command", async () => {
    await product.search("espresso");
    await until(() => page.evaluate(() => Object.values(localStorage).some((text) => text.includes("espresso"))), "it is remembered, after a rest");
    await product.input.fill("");
    const row = (/** @type {string} */ query) => pane().locator(".quarry-recent", { hasText: query });
    await row("espresso").waitFor();
    const commands = async () => (await host.commands()).map(({ name }) => name);
    assert.ok((await commands()).includes("Quarry: Search: hide glue"));

    await row("espresso").click({ button: "right" });
    await page.locator(".menu-item", { hasText: "Save this search" }).click();
    await until(async () => (await commands()).includes("Quarry: Search: espresso"), "its command is there");

    await product.input.focus();
    for (const key of ["ArrowUp", "Shift+F10"]) await page.keyboard.press(key);
    await page.locator(".menu-item", { hasText: "Remove from saved searches" }).click();
    await until(async () => !(await commands()).includes("Quarry: Search: espresso"), "its command is gone");
  });

  test("the last row opens the view of related notes, by keyboard alone", async () => {
    await product.input.focus();
    await page.keyboard.press("PageDown");
    for (let step = 0; step < 6; step += 1) await page.keyboard.press("PageDown");
    await page.keyboard.press("Enter");

    await page.locator(".quarry-related").waitFor();
    await host.runCommand("open-search");
  });
});
