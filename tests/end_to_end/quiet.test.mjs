/** What a person notices of the pane at 300 pixels: where the list begins, what rows leave out, and that numbers agree. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SAMPLE, startProduct, until } from "./product.mjs";

const MOST_ABOVE_PX = 96;
const PACE_MS = 300; // between two keys, of most people
const fence = (/** @type {string} */ text) => `\`\`\`quarry\n${text}\n\`\`\`\n`;
const NOTES = { "Dashboard.md": fence("bellows\nlimit: 4") + fence("bellows\nshow: count") };
const NAMESAKES = { "docs/git/index.md": "# Rename a branch\n\nA zanzibar branch.\n", "docs/svn/index.md": "# Move a branch\n\nA zanzibar branch.\n" };

const product = await startProduct({ from: SAMPLE, notes: { ...NOTES, ...NAMESAKES }, viewport: { width: 1100, height: 800 } });
const { host, page, pane } = product;
await page.addStyleTag({ content: ".workspace-split.mod-right-split { width: 300px !important; }" });
await page.setViewportSize({ width: 1101, height: 800 }); // so that the pane measures itself

const above = () => pane.evaluate((el) => (el.querySelector(".quarry-body")?.getBoundingClientRect().top ?? 0) - el.getBoundingClientRect().top);
const count = () => pane.locator(".quarry-count").innerText();

describe("the pane at 300 pixels", () => {
  for (const query of ["bellows", "how do I stop a reed from buzzing", "bellows tag:howto"]) {
    test(`the list begins near the top: ${query}`, async () => {
      await product.search(query);

      assert.ok((await above()) <= MOST_ABOVE_PX, `${await above()} px`);
    });
  }

  test("rows have two lines of a passage and none of headings, unless another size was chosen", async () => {
    await product.search("reed");
    const lines = await pane.locator(".quarry-snippet").evaluateAll((all) => all.map((el) => Math.round(el.getBoundingClientRect().height / parseFloat(getComputedStyle(el).lineHeight))));

    assert.equal(await pane.getAttribute("data-density"), "narrow");
    assert.ok(lines.filter((count) => count === 2).length > lines.length / 2 && Math.max(...lines) === 2, String(lines));
    assert.equal(await pane.locator(".quarry-option > .quarry-passage .quarry-trail:visible").count(), 0);
  });

  for (const query of ["tag:howto zebra quantum flux", "tag:howto harmonium pedls", 'bellows path:Howto -glue modified:>2020 "button row"', "-glue sticking glue"]) {
    test(`a sentence beside chips can be read whole: ${query}`, async () => {
      await product.search(query);
      await product.input.blur();
      await pane.locator(".quarry-below.is-at-rest .quarry-remark").waitFor();
      const [remark, chips] = [pane.locator(".quarry-remark"), pane.locator(".quarry-chips")];
      const [across, down, right] = await remark.evaluate((el) => [el.scrollWidth - el.clientWidth, el.scrollHeight - el.clientHeight, el.getBoundingClientRect().width]);
      const [first, last] = [await chips.boundingBox(), await remark.boundingBox()];

      assert.deepEqual([across, down], [0, 0]);
      assert.ok((right ?? 0) >= 200, `the sentence has ${right} px`);
      assert.ok(first && last && last.y >= first.y + first.height, "it is below the chips");
    });
  }

  test("a second name is there as a whole or not at all", async () => {
    const cut = [];
    let seen = 0;
    for (const query of ["harmonium", "bandoneon", "parish council", "reed"]) {
      await product.search(query);
      for (const aside of await pane.locator(".quarry-aside:not(.is-hidden)").all()) {
        const [text, part] = await aside.evaluate((el) => {
          const [own, line] = [el.getBoundingClientRect(), el.parentElement?.getBoundingClientRect() ?? new DOMRect()];
          const isBelow = own.top >= line.bottom; // in a line that is cut off
          return [el.textContent, isBelow ? 0 : Math.min(1, (line.right - own.left) / own.width)];
        });
        seen += part > 0 ? 1 : 0;
        if (part > 0 && part < 1) cut.push(text);
      }
    }

    assert.deepEqual(cut, []);
    assert.ok(seen > 0);
  });

  test("a question says of no row which words it lacks, of none how many there are, and offers no note", async () => {
    await product.search("why does the leather bag go soft before a long rehearsal");
    await product.input.blur();

    assert.ok((await product.rows()).length > 5);
    assert.equal(await pane.locator(".quarry-missing:not(.is-hidden)").count(), 0);
    assert.equal(await pane.locator(".quarry-line").innerText(), "");
    assert.equal(await pane.locator(".quarry-create").count(), 0);
  });

  test("a few words name the one that a row lacks, behind all else", async () => {
    await product.search("hide glue temperature");
    const missing = pane.locator(".quarry-missing:not(.is-hidden)").first();
    const [left, right] = await missing.evaluate((el) => [el.getBoundingClientRect().left, el.closest(".quarry-passage")?.querySelector(".quarry-snippet")?.getBoundingClientRect().right ?? Infinity]);

    assert.equal(await missing.innerText(), "temperature");
    assert.ok(left >= right);
  });

  test("an exact file name, a concept and a question have no verdict above the right note", async () => {
    for (const [query, right] of [["2026-02-21", "2026-02-21"], ["cleaning the coffee machine", "Descale the espresso machine"], ["saving for retirement", "Pension gap"], ["what is my blood type", "Emergency card"]]) {
      await product.search(query ?? "");
      await product.input.blur();
      await product.rowsUntil(([first]) => first?.title === right, `${right} is first`); // by words alone, while meaning is slow

      assert.doesNotMatch(await pane.locator(".quarry-line").innerText(), /guess|match/i);
      assert.equal(await pane.locator(".quarry-hit").first().evaluate((el) => el.classList.contains("is-weak")), false);
    }
  });

  test("a correction is said as a whole once typing has rested, with the way to undo it", async () => {
    await product.search("belows laek");
    const line = pane.locator(".quarry-line");
    const undo = line.locator('[data-action="search-typed"]');
    await until(async () => (await line.evaluate((el) => el.getBoundingClientRect().height)) > 30, "the sentence is in two lines");
    const cut = await line.locator(".quarry-remark").evaluate((el) => el.scrollHeight - el.clientHeight);
    const [right, edge] = await undo.evaluate((el) => [el.getBoundingClientRect().right, el.closest(".quarry-head")?.getBoundingClientRect().right ?? 0]);

    assert.ok(cut <= 1, `${cut} px are cut off`);
    assert.ok(right <= edge, `${right} of ${edge}`);
  });

  test("letters that are no words find nothing, in one line", async () => {
    await product.input.fill("asdfghjkl qwertyuiop");
    await product.shows("no-results");

    assert.deepEqual(await product.panelWords(), { title: "No note contains these words.", detail: "", commands: [], actions: [] });
    assert.equal(await pane.locator(".quarry-hit").count(), 0);
  });

  test("of a word that no note goes on with the line says so at once, and the rows stay until typing rests", async () => {
    await product.search("harm");
    const seen = [];
    for (const letter of "oz") {
      await product.input.press(letter);
      await product.answered();
      seen.push({ state: await pane.getAttribute("data-state"), paths: (await product.rows()).map(({ path }) => path) });
    }
    const line = await pane.locator(".quarry-line").innerText();
    await product.input.press("Enter"); // which means the first row that answers, and not the first of those
    const opened = await until(async () => (await host.activeNote())?.path, "a note is opened");
    const [first] = await product.rows();

    assert.deepEqual(seen.map(({ state }) => state), ["results", "unmatched"]);
    assert.equal(line, "No note contains “harmoz”.");
    assert.deepEqual(seen[1]?.paths, seen[0]?.paths);
    assert.equal(opened, first?.path);
  });

  test("a key asks once and draws once, at the pace of most people", async () => {
    await product.search("be");
    let draws = 0;
    const sent = await product.sentRequests(async () => {
      // In the page: on a busy machine, a key from outside may come later than typing counts as paused.
      draws = await page.evaluate(async (paceMs) => {
        const input = /** @type {HTMLInputElement} */ (document.querySelector(".quarry-pane input"));
        let count = 0;
        const observer = new MutationObserver(() => (count += 1));
        observer.observe(/** @type {Element} */ (document.querySelector(".quarry-list")), { childList: true, subtree: true });
        for (const letter of "llow") {
          input.value += letter;
          input.dispatchEvent(new InputEvent("input", { bubbles: true }));
          await new Promise((resolve) => setTimeout(resolve, paceMs));
        }
        observer.disconnect();
        return count;
      }, PACE_MS);
    });

    const searches = sent.filter(({ method, params }) => method === "search" && params.query !== "be");
    const whole = searches.filter(({ params }) => params.mode === "hybrid"); // beside those by words, while meaning is slow
    assert.deepEqual(whole.map(({ params }) => params.query), ["bel", "bell", "bello", "bellow"]);
    assert.ok(draws <= searches.length, `${draws} times`);
  });

  test("notes whose file is called index are named by title and folder", async () => {
    await product.search("zanzibar branch");
    const names = await pane.locator(".quarry-names").evaluateAll((all) => all.slice(0, 2).map((el) => [...el.children].map(({ textContent }) => textContent).join("|")).sort());

    assert.deepEqual(names, ["Move a branch||docs/svn", "Rename a branch||docs/git"]);
  });

  test("pane, block and command line count the same notes", async () => {
    await product.search("bellows");
    const inPane = await count();
    await host.openNote("Dashboard.md", "preview");
    const heads = page.locator(".markdown-reading-view .quarry-block-count");
    await until(async () => (await heads.allInnerTexts()).filter((text) => text !== "").length === 2, "both blocks are answered");
    const [rows, number] = await heads.allInnerTexts();
    const { total } = JSON.parse((await product.cli("search", "bellows", "--json")).stdout);
    const holding = JSON.parse((await product.cli("search", "bellows", "--json", "--mode", "keyword", "--limit", "50")).stdout).hits.length;

    assert.equal(inPane, `${holding} notes`);
    assert.equal(number, inPane);
    assert.equal(rows, `4 of ${inPane}`);
    assert.equal(total, holding);
  });
});
