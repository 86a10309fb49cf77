/** What was found is written with: inserted, quoted, dragged, copied, opened several at a time, or the beginning of a new note. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const NOTES = {
  "Draft.md": "# Draft\n\nSee here.\n",
  "Boats/Keel.md": "# Keel\n\n## Paint\n\nThe marlinspike hangs by the door.\nRed lead keeps the keel dry.\n\n## Other\n\nNothing.\n",
  "Boats/Mast.md": "The mast has a marlinspike too.\n",
  "Boats/Code.md": "# Code\n\n```sh\n# marlinspike of the shell\n\nsplice --eye\n```\n",
  "Boats/Block.md": "# Block\n\nA marlinspike in a block. ^spike\n",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`Many/Note ${at}.md`, `The binnacle number ${at}.\n`])),
};

const product = await startProduct({ notes: NOTES });
const { host, page } = product;
await product.searchBy("keyword");

describe("from finding to writing", () => {
  /** The draft alone is open, unchanged, with the caret behind "See ". */
  beforeEach(async () => {
    await page.evaluate(() => window.app.workspace.iterateRootLeaves((leaf) => leaf.detach()));
    await host.openNote("Draft.md");
    await host.setCursor(2, 4);
  });

  const option = (/** @type {string} */ path) => product.pane.locator(".quarry-option", { has: page.locator(`.quarry-title[title="${path}"]`) });
  const chosen = () => product.pane.locator(".quarry-option.is-chosen .quarry-title").evaluateAll((titles) => titles.map((title) => title.getAttribute("title")));
  const lastNotice = async () => (await host.notices()).at(-1)?.text;

  /** The draft, once it differs from what it was. */
  const written = async () =>
    until(async () => {
      const note = await host.activeNote();
      return note?.path === "Draft.md" && note.text !== NOTES["Draft.md"] ? note : null;
    }, "something is written into the draft");

  /**
   * @param {string} query
   * @param {string} path selected by the arrows
   */
  async function select(query, path) {
    await product.search(query);
    const at = (await product.rows()).findIndex((row) => row.path === path);
    for (let press = 0; press < at; press += 1) await product.input.press("ArrowDown");
  }

  test("Alt+Enter inserts a link to the heading at the caret, in one step, and the caret goes behind it", async () => {
    await select("marlinspike", "Boats/Keel.md");
    await product.input.press("Alt+Enter");
    const note = await written();

    assert.equal(note.text, "# Draft\n\nSee [[Keel#Paint]]here.\n");
    assert.deepEqual(note.cursor, { line: 2, ch: "See [[Keel#Paint]]".length });
    assert.ok(note.isFocused);
    assert.equal(readFileSync(join(product.vault.path, "Draft.md"), "utf8"), NOTES["Draft.md"], "the file is the editor's to save");
    await host.undo();
    assert.equal((await host.activeNote())?.text, NOTES["Draft.md"]);
  });

  test("a passage whose block has an id is linked by it", async () => {
    await select("marlinspike block", "Boats/Block.md");
    await product.input.press("Alt+Enter");

    assert.match((await written()).text, /See \[\[Block#\^spike\]\]here/);
  });

  test("Alt+Shift+Enter quotes the whole paragraph with its link, code in its fences", async () => {
    await select("marlinspike", "Boats/Keel.md");
    await product.input.press("Alt+Shift+Enter");
    assert.match((await written()).text, /See \n\n> The marlinspike hangs by the door\.\n> Red lead keeps the keel dry\.\n>\n> — \[\[Keel#Paint\]\]\n\nhere\./);
    await select("marlinspike shell", "Boats/Code.md");
    await product.input.press("Alt+Shift+Enter");
    const { text } = await until(async () => {
      const note = await host.activeNote();
      return note?.text.includes("splice") ? note : null;
    }, "the code is quoted");

    assert.ok(text.includes("> ```sh\n> # marlinspike of the shell\n>\n> splice --eye\n> ```\n>\n> — [[Code]]\n"), text);
  });

  test("Shift with the arrows chooses several, which are inserted as a list; Escape goes back to one", async () => {
    await product.search("marlinspike");
    await product.press("Shift+ArrowDown", "Shift+ArrowDown");
    assert.equal((await chosen()).length, 3);
    assert.equal(await product.adjustments(), "3 selected · Enter open · Alt + Enter insert");
    assert.equal(await product.pane.locator(".quarry-list").getAttribute("aria-multiselectable"), "true");
    assert.equal(await product.pane.locator('[role="option"][aria-selected="true"]').count(), 3);
    await product.input.press("Escape");
    assert.deepEqual(await chosen(), []);
    await product.input.press("Shift+ArrowUp");
    const paths = await chosen();
    await product.input.press("Alt+Enter");

    assert.equal(paths.length, 2);
    assert.match((await written()).text, /See \n- \[\[.+\]\]\n- \[\[.+\]\]\nhere\./);
  });

  test("Alt and a click chooses one beside another; rows that vanish are no longer chosen", async () => {
    await host.write("Boats/Gone.md", "A marlinspike for a while.\n");
    await product.search("marlinspike");
    await product.rowsUntil((rows) => rows.some(({ path }) => path === "Boats/Gone.md"), "the new note is a row");
    await option("Boats/Gone.md").click({ modifiers: ["Alt"] });
    await option("Boats/Mast.md").click({ modifiers: ["Alt"] });
    const isInBox = await product.input.evaluate((el) => el === document.activeElement);
    assert.deepEqual(new Set(await chosen()), new Set(["Boats/Gone.md", "Boats/Mast.md"]));
    await host.remove("Boats/Gone.md");
    await product.rowsUntil((rows) => rows.every(({ path }) => path !== "Boats/Gone.md"), "the note is gone");

    assert.ok(isInBox, "the keys go on working");
    assert.deepEqual(await chosen(), ["Boats/Mast.md"]);
    assert.equal((await host.activeNote())?.path, "Draft.md", "nothing was opened");
  });

  test("a command opens in the background, Mod and a click or Enter in front, at the passage", async () => {
    await select("marlinspike", "Boats/Mast.md");
    await host.runCommand("result-open-background");
    await until(async () => (await host.openNotes()).includes("Boats/Mast.md"), "the note is open");
    assert.equal((await host.activeNote())?.path, "Draft.md");
    assert.ok(await product.input.evaluate((el) => el === document.activeElement));
    await product.input.press("ControlOrMeta+Enter");
    await product.opened("Boats/Mast.md");
    await option("Boats/Mast.md").click({ modifiers: ["ControlOrMeta"] });

    await until(async () => (await host.openNotes()).join() === ["Draft.md", ...Array(3).fill("Boats/Mast.md")].join(), "each in a tab of its own");
  });

  test("more than ten are opened after a question", async () => {
    await product.search("binnacle");
    for (let press = 0; press < 11; press += 1) await product.input.press("Shift+ArrowDown");
    await product.input.press("Enter");
    const dialog = page.locator(".modal", { hasText: "Open 12 notes?" });
    await dialog.locator("button", { hasText: "Cancel" }).click();
    assert.deepEqual(await host.openNotes(), ["Draft.md"]);
    await product.input.press("Enter");
    await dialog.locator("button", { hasText: "Open all" }).click();

    await until(async () => (await host.openNotes()).length === 13, "all twelve are open");
  });

  test("Mod+C copies the links, and a text that is selected in the box stays the browser's to copy", async () => {
    await product.search("marlinspike");
    await product.press("Shift+ArrowDown", "ControlOrMeta+c");
    await until(async () => (await lastNotice()) === "Copied", "it is said");
    const links = await page.evaluate(() => navigator.clipboard.readText());
    await product.press("ControlOrMeta+a", "ControlOrMeta+c");
    await until(async () => (await page.evaluate(() => navigator.clipboard.readText())) === "marlinspike", "the query is copied");

    assert.match(links, /^\[\[.+\]\]\n\[\[.+\]\]$/);
  });

  test("without an open editor, and in reading view, it is said why nothing is inserted", async () => {
    await host.openNote("Draft.md", "preview");
    await select("marlinspike", "Boats/Keel.md");
    await product.input.press("Alt+Enter");
    await until(async () => /open in reading view/.test((await lastNotice()) ?? ""), "reading view is named");
    await page.evaluate(() => window.app.workspace.iterateRootLeaves((leaf) => leaf.detach()));
    await product.input.press("Alt+Enter");

    await until(async () => /^No note is open/.test((await lastNotice()) ?? ""), "the missing editor is named");
  });

  test("a row that is dragged into the editor becomes a link as Obsidian writes it", async () => {
    await product.search("marlinspike");
    const line = page.locator(".cm-line", { hasText: "See here." });
    await option("Boats/Mast.md").locator(".quarry-title").dragTo(line);
    const note = await written();

    assert.match(note.text, /\[\[Mast\]\]/);
  });

  test("several rows are dragged together", async () => {
    await product.search("marlinspike");
    await product.input.press("Shift+ArrowDown");
    await product.pane.locator(".quarry-option.is-chosen .quarry-title").first().dragTo(page.locator(".cm-line", { hasText: "See here." }));

    assert.equal((await written()).text.match(/\[\[/g)?.length, 2);
  });

  test("Shift+Enter creates the note that the query names, in the folder of new notes, once", async () => {
    await page.evaluate(() => { window.app.fileManager.hostNewFileFolder = "Boats"; });
    await product.search("halyard: the long/short folder:Boats");
    await product.pane.locator(".quarry-create", { hasText: "Create “halyard the long short”" }).waitFor();
    assert.equal(await product.pane.locator(".quarry-create.is-selected").count(), 0, "it is chosen by hand alone");
    await product.input.press("Shift+Enter");
    await until(async () => (await host.activeNote())?.path === "Boats/halyard the long short.md", "the note is open");
    await product.search("halyard the long short");
    assert.equal(await product.pane.locator(".quarry-create").count(), 0);
    await product.search("halyard tag:#none");
    assert.equal(await product.pane.locator(".quarry-create").count(), 0);
    await host.remove("Boats/halyard the long short.md");
    await page.evaluate(() => { window.app.fileManager.hostNewFileFolder = ""; });
  });

  test("a row that is not what was meant is dimmed, and that can be undone", async () => {
    await product.search("marlinspike");
    await option("Boats/Mast.md").click({ button: "right" });
    await page.locator(".menu-item", { hasText: "Not what I meant" }).click();
    const row = product.pane.locator(".quarry-hit.is-dismissed");
    assert.match(await row.innerText(), /Mast[\s\S]*Marked as not what you meant/);
    await row.locator(".quarry-undo").click();

    assert.equal(await row.count(), 0);
    assert.equal((await host.activeNote())?.path, "Draft.md");
  });

  test("a jump lights every mark of the passage, in editing view and in reading view", async () => {
    await select("marlinspike keel", "Boats/Keel.md");
    await product.input.press("Enter");
    const { flashed } = await product.opened("Boats/Keel.md", (note) => note.flashed.length > 0);
    assert.deepEqual(flashed, ["marlinspike", "keel"]);
    await host.openNote("Boats/Keel.md", "preview");
    await select("marlinspike keel", "Boats/Keel.md");
    await product.input.press("Enter");
    const lit = await until(
      () => page.evaluate(() => [...(CSS.highlights.get("quarry-passage") ?? [])].map((range) => range.toString())).then((words) => (words.length > 0 ? words : null)),
      "the marks are lit",
    );

    assert.deepEqual(lit, ["marlinspike", "keel"]);
  });

  test("a question mark in an empty box shows all keys, in a query it is a letter", async () => {
    await product.input.fill("");
    await product.input.press("?");
    const sheet = page.locator(".modal .quarry-keys");
    await sheet.waitFor();
    assert.match(await sheet.innerText(), /Insert a link at the cursor/);
    await page.keyboard.press("Escape");
    await product.input.fill("why");
    await product.input.press("?");

    assert.equal(await product.input.inputValue(), "why?");
  });

  test("a new window is opened from the menu", async () => {
    await product.search("marlinspike");
    await option("Boats/Mast.md").click({ button: "right" });
    const opening = page.waitForEvent("popup");
    await page.locator(".menu-item", { hasText: "Open in new window" }).click();
    const popup = await opening;
    await popup.locator(".cm-line", { hasText: "marlinspike" }).waitFor();
    await popup.close();
  });

  test("in a window of its own the pane copies and inserts as well", async () => {
    const opening = page.waitForEvent("popup");
    await page.evaluate(() => {
      const [leaf] = window.app.workspace.getLeavesOfType("quarry-search");
      if (leaf) window.app.workspace.moveLeafToPopout(leaf);
    });
    const popup = await opening;
    const input = popup.locator(".quarry-pane .search-input-container input");
    await input.fill("marlinspike block");
    await popup.locator('.quarry-option.is-selected .quarry-title[title="Boats/Block.md"]').waitFor(); // an earlier answer has it second
    await popup.bringToFront();
    await input.press("ControlOrMeta+c");
    await until(async () => (await popup.evaluate(() => navigator.clipboard.readText())) === "[[Block#^spike]]", "the link is copied");
    await input.press("Alt+Enter");

    assert.match((await written()).text, /See \[\[Block#\^spike\]\]here/);
    await popup.close();
  });
});
