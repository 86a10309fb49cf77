/** Live blocks in notes: the results of a query where a note wants them, at no cost while nobody sees them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const block = (/** @type {string[]} */ ...lines) => ["```quarry", ...lines, "```"].join("\n");
const MANY = Array.from({ length: 20 }, () => block("keel paint")).join("\n\n");
const NOTES = {
  "Keel.md": "The keel was painted in spring with red paint.\n",
  "Hull.md": "Hull and keel are scraped before the paint is laid on.\n",
  "Rope.md": "A rope is spliced with a fid.\n",
  "Board.md": `# Board\n\n${block("keel paint", "limit: 5")}\n`,
  "One.md": `${block("keel paint", "limit: 1")}\n`,
  "Sorted.md": `${block("keel paint", "sort: name")}\n`,
  "Count.md": `${block("rope", "show: count")}\n`,
  "Unmet.md": `${block("[status:blocked] keel")}\n\n${block("[status:blocked] keel", "show: count")}\n`,
  "Wrong.md": `${block("keel", "sort: date", "limt: 3")}\n\n${block("")}\n`,
  "Many.md": `${MANY}\n`,
  "Far.md": `${"A line of the log.\n\n".repeat(120)}${block("keel paint")}\n`,
  "Hostile.md": `${block('<img src=x onerror="document.title=1"> </script>')}\n`,
};

const product = await startProduct({ notes: NOTES, viewport: { width: 1000, height: 700 } });
const { host, page } = product;

describe("live blocks", () => {
  const blocks = () => page.locator(".markdown-reading-view .quarry-block");
  const titles = () => blocks().first().locator(".quarry-title").allInnerTexts();
  const searches = (/** @type {{ method: string }[]} */ sent) => sent.filter(({ method }) => method === "search").length;

  test("shows the rows of its query, and never its own note", async () => {
    await host.openNote("Board.md", "preview");
    await blocks().locator(".quarry-title").first().waitFor();
    const found = await titles();

    assert.ok(found.includes("Keel"));
    assert.ok(found.length <= 5);
    assert.ok(!found.includes("Board"));
    assert.match(await blocks().locator(".quarry-block-count").innerText(), /^\d+ notes|^\d+ of \d+ notes/);
  });

  test("rows are those of the pane: they open at the passage, from the keyboard too", async () => {
    await blocks().locator(".quarry-list").focus();
    await page.keyboard.press("ArrowDown");
    const path = await blocks().locator('[aria-selected="true"] .quarry-title').getAttribute("title");
    await page.keyboard.press("Enter");

    assert.ok(path);
    await product.opened(path);
  });

  test("a saved note is there at once, while the block is in sight", async () => {
    await host.openNote("Board.md", "preview");
    await blocks().locator(".quarry-title").first().waitFor();
    await host.write("Fresh.md", "Fresh paint for the keel.\n");

    await until(async () => (await titles()).includes("Fresh"), "the new note is in the block");
  });

  test("its limit is a limit", async () => {
    await host.openNote("One.md", "preview");
    await blocks().locator(".quarry-title").first().waitFor();

    assert.equal((await titles()).length, 1);
  });

  test("its order is what it says", async () => {
    await host.openNote("Sorted.md", "preview");
    await blocks().locator(".quarry-title").nth(1).waitFor();
    const found = await titles();

    assert.deepEqual(found, [...found].sort((a, b) => a.localeCompare(b)));
  });

  test("the count alone, where that is wanted", async () => {
    await host.openNote("Count.md", "preview");
    await blocks().locator(".quarry-block-count", { hasText: /^1 note$/ }).waitFor(); // one has the word; more are near in meaning

    assert.equal(await blocks().locator(".quarry-list").isVisible(), false);
  });

  test("a filter that no note meets leaves nothing, in the list as in the count, and is named", async () => {
    await host.openNote("Unmet.md", "preview");
    await blocks().nth(1).locator(".quarry-block-count", { hasText: /^0 notes$/ }).waitFor();
    await blocks().first().locator(".quarry-panel-title", { hasText: "No notes with [status:blocked]" }).waitFor();

    assert.deepEqual(await titles(), []);
  });

  test("how the pane searches is its own: a block searches by words and meaning", async () => {
    await host.openNote("Count.md", "preview");
    await product.searchBy("keyword");
    const sent = await product.sentRequests(async () => {
      await host.openNote("Sorted.md", "preview");
      await blocks().locator(".quarry-title").nth(1).waitFor();
    });
    await product.searchBy("hybrid");

    assert.deepEqual([...new Set(sent.filter(({ method }) => method === "search").map(({ params }) => params["mode"]))], ["hybrid"]);
  });

  test("what cannot be read is named by its line, with what is possible", async () => {
    await host.openNote("Wrong.md", "preview");
    const said = await blocks().locator(".quarry-block-error").allInnerTexts();

    assert.deepEqual(said, [
      "Line 2: “sort” must be one of these: relevance, modified, created, name.",
      "Line 3: there is no option “limt”. The options are sort, limit, mode, density, show. To search for the word, put it in quotes.",
      "This block has no search. Write what to search for on a line of its own, as in the search pane.",
    ]);
  });

  test("out of sight it neither asks nor draws; in sight it asks, and after a change once more", async () => {
    const hidden = await product.sentRequests(async () => {
      await host.openNote("Far.md", "preview");
      await host.write("While.md", "The keel, while nobody looks, gets paint.\n");
      await page.waitForTimeout(1_200);
    });
    assert.equal(searches(hidden), 0);
    assert.equal(await blocks().first().locator("*").count(), 0);

    const seen = await product.sentRequests(async () => {
      await blocks().first().scrollIntoViewIfNeeded();
      await blocks().locator(".quarry-title").first().waitFor();
    });
    assert.equal(searches(seen), 1);

    const left = await product.sentRequests(async () => {
      await page.locator(".markdown-reading-view .markdown-preview-view").evaluate((el) => { el.scrollTop = 0; });
      await page.waitForTimeout(300);
      await host.write("Again.md", "Paint on the keel again.\n");
      await host.write("Again2.md", "Paint on the keel twice.\n");
      await page.waitForTimeout(1_200);
    });
    assert.equal(searches(left), 0);

    const back = await product.sentRequests(async () => {
      await blocks().first().scrollIntoViewIfNeeded();
      await until(async () => (await titles()).includes("Again2"), "the block caught up");
    });
    assert.equal(searches(back), 1);
  });

  test("many blocks ask a few at a time, and only those in sight", async () => {
    const sent = await product.sentRequests(async () => {
      await host.openNote("Many.md", "preview");
      await blocks().first().scrollIntoViewIfNeeded();
      await blocks().first().locator(".quarry-title").first().waitFor();
      await page.waitForTimeout(500);
    });

    assert.ok(searches(sent) < 20, `${searches(sent)} searches`);
  });

  test("is gone when its note is closed: a save asks for nothing", async () => {
    await host.openNote("Rope.md");
    const sent = await product.sentRequests(async () => {
      await host.write("Gone.md", "The keel without paint.\n");
      await page.waitForTimeout(1_000);
    });

    assert.equal(searches(sent), 0);
  });

  test("hostile text in a block is text", async () => {
    await host.openNote("Hostile.md", "preview");
    await blocks().locator(".quarry-block-query").waitFor();

    assert.equal(await blocks().locator(".quarry-block-query").innerText(), '<img src=x onerror="document.title=1"> </script>');
    assert.equal(await blocks().locator("img, script").count(), 0);
  });

  test("the search of the pane becomes a block at the cursor, and a note of its own", async () => {
    await product.search("keel paint");
    await host.openNote("Rope.md");
    await host.runCommand("insert-search-block");
    assert.match((await host.activeNote())?.text ?? "", /```quarry\nkeel paint\n```\n/);

    await host.runCommand("search-to-note");
    await until(async () => (await host.activeNote())?.path === "Search keel paint.md", "the note of the search is open");
    assert.equal((await host.activeNote())?.text, "```quarry\nkeel paint\n```\n");
  });
});
