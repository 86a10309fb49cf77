/** A user can search, see why each row is there, and open the passage, by keyboard alone. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SAMPLE, startProduct, until } from "./product.mjs";

// Built here, so that nothing in the repository looks like a live credential.
const TOKEN = ["gh", "p_", "A1b2".repeat(9)].join("");

const NOTES = {
  "Jump/Windows.md": "# Windows\r\n\r\nThe first line.\r\nThe second line.\r\n\r\nHere the zanzibarium stands.\r\n",
  "Jump/Emoji.md": "# Party\n\n👩‍👩‍👧‍👦🎉🏳️‍🌈 before the quokkafest 🎈 begins.\n",
  "Jump/Secret.md": `# Access\n\nThe token is ${TOKEN} and after it comes the narwhalist.\n`,
  "Jump/Properties.md": "---\ntitle: Properties\ntags: [one, two]\n---\n\nBelow them an okapistry.\n",
  "Jump/Table.md": "| bird | sound |\n|---|---|\n| heron | kroarkish |\n| swift | shriek |\n",
  "Meaning/Ladder.md": "The paint is still green. A blackbird feeds its chicks at dawn. The ladder was lent by a neighbour.\n",
};

const product = await startProduct({ from: SAMPLE, notes: NOTES, data: { density: "normal" } });
const { host, page } = product;

describe("the search pane", () => {
  const noteText = (/** @type {string} */ path) => readFileSync(join(product.vault.path, path), "utf8");

  test("typing gives rows whose marks are the query's words or the nearest sentence", async () => {
    await product.input.click();
    await page.keyboard.type("leaking bellows");
    await product.answered();
    const rows = await product.rows();

    assert.ok(rows.length > 3);
    assert.equal(rows[0]?.title, "Patch a bellows fold");
    for (const { title, titleWords, words, sentences, why } of rows) {
      assert.ok(titleWords.length + words.length + sentences.length > 0, `${title} has no mark`);
      for (const word of [...titleWords, ...words]) assert.match(word, /^(bellow|leak)/i);
      assert.match(why, /^(meaning|title|)$/);
    }
  });

  test("for a row found by meaning the nearest sentence is marked", async () => {
    await product.searchBy("semantic");
    const rows = await product.search("bird raising its young");
    await product.searchBy("hybrid");

    const row = rows.find(({ path }) => path === "Meaning/Ladder.md");
    assert.equal(row?.why, "", "in a search by meaning it says nothing");
    assert.deepEqual(row?.sentences.map((text) => text.trim()), ["A blackbird feeds its chicks at dawn."]);
  });

  for (const theme of /** @type {const} */ (["light", "dark"])) {
    test(`marks are seen in the ${theme} theme, within the two lines that are shown`, async () => {
      await host.theme(theme);
      await product.search("leaking bellows");
      const seen = await marksSeen(page);
      await host.theme("light");

      assert.ok(seen.length > 3);
      for (const { text, isDrawn, isWithin, isWeakSentence } of seen) {
        assert.equal(isDrawn, !isWeakSentence, `"${text}" ${isDrawn ? "is marked in a note that is merely the nearest" : "looks like the text around it"}`);
        assert.ok(isWithin, `"${text}" is cut off`);
      }
    });
  }

  test("the newest query wins when an older one is still being answered", { skip: process.platform === "win32" && "Windows has no SIGSTOP" }, async () => {
    const wanted = await product.search("rye loaf");
    await product.search("bellows");
    const { pid } = await product.sidecar();
    process.kill(pid, "SIGSTOP");
    try {
      await product.input.fill("");
      for (const letter of "rye l") await page.keyboard.type(letter, { delay: 70 }); // slower than the pace, so that several are asked
      await page.keyboard.type("oaf");
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await product.rowsUntil((rows) => includes(rows, wanted), "the rows are those of the newest query");
  });

  test("typing without a pause ends with the answer to the whole query", async () => {
    const wanted = await product.search("blight tomatoes");
    await product.input.fill("");
    const sent = await product.sentRequests(async () => {
      await page.keyboard.type("blight tomatoes");
      await product.rowsUntil((rows) => includes(rows, wanted), "the rows are those of the whole query");
    });

    assert.equal(sent.findLast(({ method }) => method === "search")?.params.query, "blight tomatoes");
  });

  test("the box and the list tell a screen reader what they are", async () => {
    await product.search("bellows");
    const found = await page.evaluate(() => {
      const input = /** @type {HTMLElement} */ (document.querySelector(".quarry-pane input"));
      const list = document.getElementById(input.getAttribute("aria-controls") ?? "");
      const options = [...(list?.querySelectorAll('[role="option"]') ?? [])];
      return {
        roles: [input.getAttribute("role"), list?.getAttribute("role")],
        expanded: input.getAttribute("aria-expanded"),
        names: [input.getAttribute("aria-label"), list?.getAttribute("aria-label")],
        active: input.getAttribute("aria-activedescendant"),
        selected: options.filter((option) => option.getAttribute("aria-selected") === "true").map(({ id }) => id),
        ids: new Set(options.map(({ id }) => id)).size === options.length,
        strangers: [...(list?.querySelectorAll("[role]") ?? [])].map((el) => el.getAttribute("role")).filter((role) => !["option", "group", "presentation"].includes(role ?? "")),
        live: document.querySelector(".quarry-live")?.textContent,
      };
    });

    assert.deepEqual(found.roles, ["combobox", "listbox"]);
    assert.equal(found.expanded, "true");
    assert.ok(found.names.every((name) => name));
    assert.deepEqual(found.selected, [found.active]);
    assert.ok(found.ids);
    assert.deepEqual(found.strangers, []);
    assert.match(found.live ?? "", /^\d+ notes found\.$/);
  });

  test("arrows move the selection while the caret stays in the box", async () => {
    const rows = await product.search("bellows");
    await product.press("ArrowDown", "ArrowDown", "ArrowUp");
    const selected = (await product.rows()).filter(({ isSelected }) => isSelected);

    assert.deepEqual(selected.map(({ path }) => path), [rows[1]?.path]);
    assert.equal(await product.input.evaluate((el) => el === document.activeElement), true);
    assert.equal(await product.input.getAttribute("aria-activedescendant"), await product.pane.locator(".quarry-option.is-selected").getAttribute("id"));
  });

  test("the selection stops at both ends", async () => {
    await product.search("bellows path:Howto");
    await product.input.press("ArrowUp");
    const first = (await product.rows()).findIndex(({ isSelected }) => isSelected);
    await until(async () => {
      await product.input.press("ArrowDown");
      return product.pane.getByRole("option").last().evaluate((el) => el.classList.contains("is-selected"));
    }, "the last row is selected");
    const last = await product.pane.locator(".quarry-option.is-selected").innerText();
    await product.input.press("ArrowDown");

    assert.deepEqual([first, await product.pane.locator(".quarry-option.is-selected").innerText()], [0, last]);
    assert.ok(await product.pane.locator(".quarry-option.is-selected").evaluate((el) => el.getBoundingClientRect().bottom <= (el.closest(".quarry-body")?.getBoundingClientRect().bottom ?? 0) + 1));
  });

  test("Enter opens the selected note, Mod+Enter opens it in a new tab", async () => {
    const [, second] = await product.search("bellows");
    await product.press("ArrowDown", "Enter");
    await product.opened(second?.path ?? "");
    const before = (await host.openNotes()).length;
    await product.search("okapistry");
    await product.input.press("ControlOrMeta+Enter");
    await product.opened("Jump/Properties.md");

    assert.equal((await host.openNotes()).length, before + 1);
  });

  test("Escape goes back to the note, and the query stays", async () => {
    await host.openNote("Home.md");
    await product.search("bellows");
    await product.input.press("Escape");

    assert.equal(await product.input.inputValue(), "bellows");
    await until(() => page.evaluate(() => document.activeElement?.closest(".markdown-source-view") != null), "the note has the caret");
  });

  test("what led to a note is offered again in an empty box", async () => {
    await product.search("miso");
    await product.input.press("Enter");
    await product.opened("Recipes/Miso aubergine.md");
    await product.input.fill("");
    await product.pane.locator(".quarry-recent").first().click();
    await product.answered();

    assert.equal(await product.input.inputValue(), "miso");
    assert.equal((await product.rows())[0]?.path, "Recipes/Miso aubergine.md");
  });

  test("rows that answer both queries keep their elements", async () => {
    const before = await product.search("bellows");
    await page.evaluate(() => {
      for (const row of document.querySelectorAll(".quarry-hit")) Reflect.set(row, "wasThere", true);
    });
    await product.input.fill("bellows cloth");
    await product.answered();
    const afterwards = await product.rows();
    const kept = await page.evaluate(() => [...document.querySelectorAll(".quarry-hit")].map((row) => Reflect.get(row, "wasThere") === true));

    const paths = new Set(before.map(({ path }) => path));
    assert.deepEqual(kept, afterwards.map(({ path }) => paths.has(path)));
    assert.ok(kept.includes(true));
  });

  test("a save that concerns no row changes no row", async () => {
    await product.searchBy("keyword"); // whose rows are all counted
    await product.search("bellows path:Howto");
    await allRows();
    const changes = await rowChanges(page, async () => {
      await host.write("Inbox/Unrelated.md", "Buy oranges and stamps.\n");
      await until(async () => (await product.cli("search", "stamps", "--json")).stdout.includes("Unrelated"), "the note is indexed");
    });
    await product.searchBy("hybrid");

    assert.deepEqual(changes, { added: 0, removed: 0, texts: 0 });
  });

  test("the selection stays on its note when a save puts another one above it", async () => {
    await product.searchBy("keyword"); // where one more note does not reorder the others
    await product.search("harmonium");
    await product.input.press("ArrowDown");
    const chosen = (await product.rows()).find(({ isSelected }) => isSelected);
    await allRows();
    const changes = await rowChanges(page, async () => {
      await host.write("Inbox/Pump organ.md", "# Harmonium\n\nHarmonium, harmonium, harmonium.\n");
      await product.rowsUntil((rows) => rows.some(({ path }) => path === "Inbox/Pump organ.md"), "the new note is a row");
    });
    const selected = (await product.rows()).filter(({ isSelected }) => isSelected);
    await product.searchBy("hybrid");

    assert.deepEqual(selected.map(({ path }) => path), [chosen?.path]);
    assert.deepEqual(changes, { added: 1, removed: 0, texts: 0 });
  });

  test("Enter right after a change opens what is found for the text in the box", async () => {
    await product.search("quokkafest");
    await product.input.evaluate((input) => {
      if (!("value" in input)) throw new Error("no box");
      input.value = "zanzibarium";
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    });

    await product.opened("Jump/Windows.md");
  });

  for (const [path, word] of [
    ["Jump/Windows.md", "zanzibarium"],
    ["Jump/Emoji.md", "quokkafest"],
    ["Jump/Secret.md", "narwhalist"],
    ["Jump/Properties.md", "okapistry"],
    ["Jump/Table.md", "kroarkish"],
  ]) {
    test(`${path} opens at the word that was found, which is lit and not selected: the next key replaces nothing`, async () => {
      await product.search(word ?? "");
      await product.input.press("Enter");
      const note = await product.opened(path ?? "", ({ flashed }) => flashed.length > 0);

      assert.equal(note.mode, "source");
      assert.equal(note.selection.text, "");
      assert.ok(note.text.slice(note.selection.from).startsWith(word ?? ""));
      await page.keyboard.type("x");
      assert.equal((await host.activeNote())?.text, `${note.text.slice(0, note.selection.from)}x${note.text.slice(note.selection.from)}`);
      assert.deepEqual(note.flashed, [word]);
    });
  }

  test("in reading view the line of the passage is shown", async () => {
    await host.openNote("Jump/Windows.md", "preview");
    await product.search("zanzibarium");
    await product.input.press("Enter");
    const note = await product.opened("Jump/Windows.md", ({ flashed }) => flashed.length > 0);
    await host.openNote("Home.md", "source");

    assert.equal(note.mode, "preview");
    assert.deepEqual(note.flashed, ["Here the zanzibarium stands."]);
  });

  test("no credential reaches a row", async () => {
    const [row] = await product.search("narwhalist token");

    assert.equal(row?.path, "Jump/Secret.md");
    assert.match(row?.snippet ?? "", /\[REDACTED:[\w-]+\]/);
    assert.ok(!row?.snippet.includes("A1b2"));
  });

  test("each way of searching gives its own kind of row, and is remembered", async () => {
    const kinds = async (/** @type {"hybrid" | "keyword" | "semantic"} */ mode) => {
      await product.searchBy(mode);
      return new Set((await product.search("leaking bellows")).map(({ why }) => why));
    };
    const exact = await kinds("keyword");
    const saved = JSON.parse(noteText(".obsidian/plugins/quarry/data.json"));
    const meaning = await kinds("semantic");
    const both = await kinds("hybrid");

    assert.ok(!exact.has("meaning"));
    assert.deepEqual([...meaning], [""], "where all rows are found by meaning, no word says so");
    assert.ok(both.has(""));
    assert.equal(saved.mode, "keyword");
  });

  test("the context menu copies a link to the passage", async () => {
    await product.search("kroarkish");
    await product.pane.getByRole("option").first().click({ button: "right" });
    await page.locator(".menu-item", { hasText: "Copy link to passage" }).click();

    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^\[\[.*Table.*\]\]$/);
  });

  test("a selection in a note becomes a query", async () => {
    await host.openNote("Jump/Table.md");
    await host.select("heron");
    await host.runCommand("search-selection");
    await product.answered();

    assert.equal(await product.input.inputValue(), "heron");
    assert.equal((await product.rows())[0]?.path, "Jump/Table.md");
  });

  test("an obsidian link opens the pane with its query", async () => {
    await host.openUri("obsidian://quarry?query=okapistry");
    await product.answered();

    assert.equal((await product.rows())[0]?.path, "Jump/Properties.md");
  });

  test("twenty keys, and the list begins where it began", async () => {
    await product.search("x");
    const tops = new Set();
    await product.input.fill("");
    for (const letter of "sticking kee zebra -x") {
      await page.keyboard.type(letter);
      await page.waitForTimeout(40);
      tops.add(await product.pane.locator(".quarry-body").evaluate((el) => el.getBoundingClientRect().top));
    }
    await product.answered();

    assert.equal(tops.size, 1);
  });

  test("at 800 pixels, compact, ten rows are in sight, and no line of one is cut", async () => {
    await page.setViewportSize({ width: 1200, height: 800 });
    const chosen = async (/** @type {string} */ density) => {
      while ((await product.pane.getAttribute("data-density")) !== density) await product.chooseMore("Change row density");
    };
    await chosen("compact");
    await product.search("reed");
    const whole = await page.evaluate(() => {
      const body = document.querySelector(".quarry-body")?.getBoundingClientRect();
      return [...document.querySelectorAll(".quarry-hit")].filter((row) => body && row.getBoundingClientRect().bottom <= body.bottom).length;
    });
    await chosen("normal");

    assert.ok(whole >= 10, `${whole} rows`);
  });
});

/**
 * The first mark of each row: whether it looks different from plain text, whether it is seen, and whether it is the
 * sentence of a weak row, which is not to be marked.
 *
 * @param {import("playwright-core").Page} page
 */
function marksSeen(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll(".quarry-hit .quarry-snippet")].flatMap((snippet) => {
      const mark = snippet.querySelector(".search-result-file-matched-text, .quarry-sentence");
      if (!mark) return [];
      const plain = getComputedStyle(snippet);
      const style = getComputedStyle(mark);
      const hasGround = style.backgroundImage !== plain.backgroundImage && style.backgroundImage.includes("gradient");
      const isWeakSentence = mark.matches(".is-weak .quarry-sentence");
      const hasLine = style.textDecorationLine.includes("underline");
      const box = snippet.getBoundingClientRect();
      const [first] = mark.getClientRects();
      const isWithin = first !== undefined && first.width > 0 && first.top >= box.top - 1 && first.bottom <= box.bottom + 1;
      return [{ text: mark.textContent, isDrawn: hasGround || hasLine, isWithin, isWeakSentence }];
    }),
  );
}

/**
 * Whether all wanted notes are among the rows. Neither order nor number is compared: rows that were shown first keep
 * their places, and those out of sight follow later.
 *
 * @param {readonly { path: string }[]} rows
 * @param {readonly { path: string }[]} wanted
 */
function includes(rows, wanted) {
  return wanted.every(({ path }) => rows.some((row) => row.path === path));
}

/** Wait for the rows that follow when typing pauses. */
async function allRows() {
  const total = parseInt(await product.pane.locator(".quarry-count").innerText(), 10);
  await product.rowsUntil((rows) => rows.length === total, "the rows that are not in sight are there too");
}

/**
 * How the list's nodes change while something is done.
 *
 * @param {import("playwright-core").Page} page
 * @param {() => Promise<void>} act
 * @returns {Promise<{ added: number, removed: number, texts: number }>} rows added and removed, and other changes in rows
 */
async function rowChanges(page, act) {
  await page.evaluate(() => {
    const list = /** @type {HTMLElement} */ (document.querySelector(".quarry-list .search-results-children"));
    /** @type {MutationRecord[]} */
    const seen = [];
    const observer = new MutationObserver((records) => seen.push(...records));
    observer.observe(list, { childList: true, characterData: true, subtree: true });
    Object.assign(window, { rowObserver: observer, rowRecords: seen });
  });
  await act();
  return page.evaluate(() => {
    const list = document.querySelector(".quarry-list .search-results-children");
    const observer = /** @type {MutationObserver} */ (Reflect.get(window, "rowObserver"));
    const records = /** @type {MutationRecord[]} */ ([...Reflect.get(window, "rowRecords"), ...observer.takeRecords()]);
    observer.disconnect();
    const inList = records.filter(({ target }) => target === list);
    return {
      added: inList.reduce((sum, { addedNodes }) => sum + addedNodes.length, 0),
      removed: inList.reduce((sum, { removedNodes }) => sum + removedNodes.length, 0),
      texts: records.length - inList.length,
    };
  });
}
