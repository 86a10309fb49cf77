/**
 * The first minutes of a new user: no engine, one that appears, the question about it, and the first index.
 *
 * The machine of these tests has nothing installed: an empty home and PATH.
 */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { ENGINE, NOWHERE, notBare, openProduct, until } from "./product.mjs";

const NOTES = {
  "Boat.md": "---\naliases: [Sloop]\ntags: [sea]\n---\n# Boat\n\nThe keel was painted in spring.\n\n## Winter storage\n\nUnder the roof.\n",
  "Old/Tea.md": "# Tea\n\nTwo spoons, four minutes. #drink\n",
  "検索エンジン.md": "# 検索エンジン\n\n全文。\n",
};

describe("the first minutes", { skip: notBare() }, () => {
  /** @type {import("./product.mjs").Product} */
  let product;

  afterEach(() => product.close());

  /** The rows of a query once they are there: without an engine, no state says that they are on their way. */
  async function found(/** @type {string} */ query) {
    await product.search(query);
    return product.rowsUntil((rows) => rows.length > 0, `${query} is found`);
  }

  async function openWithoutEngine(notes = NOTES) {
    product = await openProduct({ notes, engine: null, env: NOWHERE });
    await product.host.enable();
    await product.openPane();
    await product.shows("missing");
  }

  /** Where uv and pipx put programs. */
  function bin() {
    const folder = join(product.home.path, ".local", "bin");
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** The engine, as its installer leaves it. */
  function installEngine() {
    const path = join(bin(), "quarry");
    symlinkSync(ENGINE, path);
    return path;
  }

  const focusWindow = () => product.page.evaluate(() => window.dispatchEvent(new Event("focus")));
  const button = (/** @type {string} */ name) => product.panel.getByRole("button", { name, exact: true });

  test("without an engine titles, aliases, headings and tags are found, and opened where they stand", async () => {
    await openWithoutEngine();
    const words = await product.panelWords();
    const byTitle = await found("boa");
    const hiddenPanel = await product.panel.isHidden();
    const scope = await product.adjustments();
    const byAlias = await found("sloop");
    const byTag = await found("#drink");
    const inChinese = await found("検索");
    const byHeading = await found("winter boat");
    await product.input.press("Enter");
    const note = await product.opened("Boat.md", ({ flashed }) => flashed.length > 0);
    await product.search("nothing of the kind");
    const notice = await product.rowsUntil((rows) => rows.length === 0, "nothing is found");

    assert.equal(words.title, "The search engine is not installed");
    assert.deepEqual([byTitle.map(({ path }) => path), byTitle[0]?.titleWords], [["Boat.md"], ["Boa"]]);
    assert.equal(hiddenPanel, true);
    assert.match(scope, /^Titles, headings and tags only/);
    assert.deepEqual([byAlias[0]?.path, byTag.map(({ path }) => path), inChinese.map(({ path }) => path)], ["Boat.md", ["Old/Tea.md"], ["検索エンジン.md"]]);
    assert.deepEqual([byHeading[0]?.snippet, byHeading[0]?.words], ["Winter storage", ["Winter"]]);
    assert.deepEqual(note.flashed, ["Winter"]);
    assert.deepEqual([notice, (await product.panelWords()).title], [[], words.title]);
  });

  test("a note that is written, renamed or deleted is found, or gone, without an engine", async () => {
    await openWithoutEngine();
    await product.search("harbour");
    await product.host.write("Harbour.md", "# Harbour\n");
    await product.rowsUntil((rows) => rows.length === 1, "the new note is found while its query is open");
    await product.host.rename("Harbour.md", "Haven.md");
    await product.host.write("Haven.md", "# Haven\n");
    await product.rowsUntil((rows) => rows.length === 0, "the old name is gone");
    const renamed = await found("haven");
    await product.host.remove("Haven.md");
    await product.rowsUntil((rows) => rows.length === 0, "the deleted note is gone");

    assert.deepEqual(renamed.map(({ path }) => path), ["Haven.md"]);
  });

  test("the steps to install are those for this computer, and can be copied", async () => {
    await openWithoutEngine();
    const bare = await product.panelWords();
    const marker = join(product.home.path, "started");
    writeFileSync(join(bin(), "uv"), `#!/bin/sh\necho started > "${marker}"\n`);
    chmodSync(join(bin(), "uv"), 0o755);
    await button("Check again").click();
    const withUv = await until(async () => {
      const words = await product.panelWords();
      return words.commands.length === 1 ? words : null;
    }, "uv is noticed");
    await product.panel.getByRole("button", { name: /^Copy the command/ }).first().click();
    const copied = await until(() => product.page.evaluate(() => navigator.clipboard.readText()), "the command is copied");

    assert.match(bare.commands[0] ?? "", /astral\.sh\/uv/);
    assert.match(bare.commands[1] ?? "", /^uv tool install ~\/Downloads\/quarry_search-.*\.whl$/);
    assert.deepEqual(withUv.commands, [bare.commands[1]]);
    assert.equal(copied, withUv.commands[0]);
    assert.equal(existsSync(marker), false, "an installer is not started");
    assert.equal(await product.page.locator(".status-bar-item").filter({ visible: true }).count(), 0, "the pane says so already");
  });

  test("an engine that appears is noticed at the next focus, asked about once, and takes over the open query", async () => {
    await openWithoutEngine();
    await product.search("boat");
    const program = installEngine();
    await until(async () => {
      await focusWindow();
      return /Start/.test(await product.adjustments());
    }, "the program is noticed");
    const before = product.host.children();
    await product.pane.locator(".quarry-line [data-action=engine-help]").click();
    const question = await product.panelWords();
    await button("Start").click();
    await product.live();
    await product.rowsUntil((rows) => (rows[0]?.snippet ?? "") !== "", "the engine answers the open query");
    const scope = await product.adjustments();
    const rows = await product.search("keel");
    await product.host.reload();
    await product.openPane();
    await product.live();

    assert.deepEqual(before, [], "nothing was started before the answer");
    assert.equal(question.title, "Start the search engine?");
    assert.deepEqual(question.commands, [program]);
    assert.deepEqual(question.actions, ["Start", "Not now", "Open settings"]);
    assert.doesNotMatch(scope, /only/);
    assert.equal(rows[0]?.path, "Boat.md");
  });

  test("an answer of no is kept over a restart, and can be changed", async () => {
    product = await openProduct({ notes: NOTES, engine: null, env: NOWHERE });
    const log = join(product.home.path, "starts");
    const program = join(bin(), "quarry");
    writeFileSync(program, `#!/bin/sh\necho "$@" >> "${log}"\nexec "${ENGINE}" "$@"\n`);
    chmodSync(program, 0o755);
    await product.host.enable();
    await product.openPane();
    await product.shows("unapproved");
    await button("Not now").click();
    const declined = await product.panelWords();
    await product.host.reload();
    await product.openPane();
    await product.shows("unapproved");
    const later = await product.panelWords();
    const startsBefore = existsSync(log);
    await button("Start").click();
    await product.live();

    assert.equal(declined.title, "The search engine is not started");
    assert.deepEqual([later.title, later.actions], [declined.title, ["Start", "Open settings"]]);
    assert.equal(startsBefore, false, "not even its version was asked for");
    assert.match(readFileSync(log, "utf8"), /^--version\nserve /);
  });
});
