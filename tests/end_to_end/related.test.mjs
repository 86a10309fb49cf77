/** Related notes follow the open note and what is selected in it, and cost nothing while nobody sees them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const NOTES = {
  "Glue.md": "---\naliases: [Knochenleim]\n---\n# Glue\n\nHide glue holds veneer and lets go of it in steam, see [[Steam]].\n\n## Cooking\n\nSimmer it gently in a double boiler with water and never let it boil.\n",
  "Veneer.md": "# Veneer\n\nVeneer is laid with hide glue and pressed with a warm hammer.\n",
  "Steam.md": "# Steam\n\nSteam opens a joint of hide glue in a minute.\n",
  "Stock.md": "# Stock\n\nSimmer the bones gently in water and never let it boil.\n",
  "Diary.md": "# Diary\n\nThe shop in town sells Knochenleim by the kilo, and a train leaves at noon.\n",
};

const product = await startProduct({ notes: NOTES, viewport: { width: 1000, height: 700 } });
const { host, page } = product;
const view = page.locator(".quarry-related");

describe("related notes", () => {
  /** @param {(titles: string[]) => boolean} isWanted */
  const titles = (isWanted) =>
    until(async () => {
      const found = await view.locator(".quarry-title").allInnerTexts();
      return isWanted(found) ? found : null;
    }, "related notes are as wanted");

  test("those of the open note stand in the sidebar: linked ones are marked, unlinked mentions stand below", async () => {
    await host.openNote("Glue.md");
    await host.runCommand("open-related");
    const found = await titles((all) => all.includes("Diary"));

    assert.deepEqual(new Set(found), new Set(["Veneer", "Steam", "Stock", "Diary"]));
    const row = (/** @type {string} */ title) => view.locator(".quarry-hit", { has: page.locator(`.quarry-title[title="${title}.md"]`) });
    assert.equal(await row("Steam").locator(".quarry-why").innerText(), "linked");
    for (const name of ["Steam", "Veneer"]) {
      const strength = row(name).locator(".quarry-strength");
      const share = await strength.evaluate((el) => (el.firstElementChild?.getBoundingClientRect().width ?? 0) / el.getBoundingClientRect().width);
      assert.match((await strength.getAttribute("title")) ?? "", new RegExp(`^${Math.round(100 * share)}% `, "u"));
    }
    await row("Diary").locator(".quarry-why", { hasText: "mention" }).waitFor(); // its alias is read a moment later
    assert.equal(await view.locator(".quarry-related-to").innerText(), "Related to Glue");
  });

  test("they follow the open note", async () => {
    await host.openNote("Stock.md");
    await titles((all) => all[0] === "Glue");

    assert.equal(await view.locator(".quarry-related-to").innerText(), "Related to Stock");
  });

  test("a selected passage is what is compared", async () => {
    await host.openNote("Glue.md");
    await titles((all) => all.includes("Diary"));
    await host.select("Simmer it gently in a double boiler with water and never let");
    await titles((all) => all[0] === "Stock");

    assert.equal(await view.locator(".quarry-related-to").innerText(), "Related to the selection in Glue");
  });

  test("a word that is selected says no more than the note, and opening a row selects nothing", async () => {
    await host.select("veneer");
    await titles((all) => all.includes("Veneer") && all[0] !== "Stock");

    assert.equal(await view.locator(".quarry-related-to").innerText(), "Related to Glue");
    await host.select("Simmer it gently in a double boiler with water and never let");
    await titles((all) => all[0] === "Stock");
  });

  test("pinned, they stay with their note", async () => {
    await view.locator('[data-action="pin"]').click();
    await titles((all) => all.includes("Veneer") && all[0] !== "Stock");
    const sent = await product.sentRequests(async () => {
      await host.openNote("Stock.md");
      await page.waitForTimeout(600);
    });

    assert.deepEqual(sent.filter(({ method }) => method === "related"), []);
    assert.equal(await view.locator(".quarry-related-to").innerText(), "Related to Glue");
    await view.locator('[data-action="pin"]').click();
    await titles((all) => all[0] === "Glue");
  });

  test("a saved note changes the rows, which keep their elements", async () => {
    await view.locator(".quarry-hit").first().evaluate((el) => { el.dataset["mark"] = "kept"; });
    await host.write("Broth.md", "# Broth\n\nSimmer the bones gently in water, never boil.\n");
    await titles((all) => all.includes("Broth"));

    assert.equal(await view.locator('.quarry-hit[data-mark="kept"]').count(), 1);
  });

  test("behind another tab they ask for nothing, and once when they are seen again", async () => {
    await host.runCommand("open-search");
    await product.input.fill("glue"); // an empty box would ask for some itself
    await page.waitForTimeout(300);
    const hidden = await product.sentRequests(async () => {
      await host.openNote("Glue.md");
      await host.openNote("Veneer.md");
      await host.write("More.md", "# More\n\nVeneer and glue.\n");
      await page.waitForTimeout(1_500);
    });
    const seen = await product.sentRequests(async () => {
      await host.runCommand("open-related");
      await titles((all) => all.includes("More"));
    });

    assert.deepEqual(hidden.filter(({ method }) => method === "related"), []);
    assert.ok(seen.filter(({ method }) => method === "related").length >= 1);
    assert.equal(await view.locator(".quarry-related-to").innerText(), "Related to Veneer");
  });

  test("rows are reached and opened by the keyboard alone", async () => {
    await view.locator(".quarry-list").focus();
    await page.keyboard.press("ArrowDown");
    const path = await view.locator('[aria-selected="true"] .quarry-title').getAttribute("title");
    await page.keyboard.press("Enter");

    assert.ok(path);
    await product.opened(path);
  });
});
