/** In every state the pane says what is wrong and offers a way out. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { temporaryFolder } from "./harness.mjs";
import { NOWHERE, notBare, openProduct, until } from "./product.mjs";

const NOTES = { "Boat.md": "# Boat\n\nThe keel was painted in spring.\n", "Old/Tea.md": "# Tea\n\nTwo spoons, four minutes.\n" };
const MAX_STARTS = 5;
// Few notes, as the host takes 10 ms for each at its start, but long ones: seconds of indexing, whatever the machine.
const LARGE_VAULT = { notes: 600, sections: 40 }; // seconds of reading, on a quick machine too

// What stands in for a broken engine is a shell script.
const onUnix = { skip: process.platform === "win32" && "needs a shell script as a program" };

describe("what the pane says", () => {
  /** @type {import("./product.mjs").Product} */
  let product;
  /** @type {ReturnType<typeof temporaryFolder>[]} */
  const folders = [];

  afterEach(async () => {
    await product.close();
    for (const folder of folders.splice(0)) folder.remove();
  });

  /**
   * A program that is called `quarry` and says it is one.
   *
   * @param {string} version its answer to --version
   * @param {string} serve shell commands that stand for `quarry serve`
   * @returns {{ program: string, starts(): number }}
   */
  function fakeEngine(version, serve) {
    const folder = temporaryFolder("engine");
    folders.push(folder);
    const program = join(folder.path, "quarry");
    const log = join(folder.path, "starts");
    writeFileSync(program, `#!/bin/sh\nif [ "$1" = --version ]; then echo "${version}"; exit 0; fi\necho start >> "${log}"\n${serve}\n`);
    chmodSync(program, 0o755);
    return { program, starts: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0) };
  }

  /** Let the app's clock jump ahead until the pane is in a state. */
  async function hurryUntil(/** @type {string} */ state) {
    await until(async () => {
      await product.page.clock.fastForward(1_000);
      return (await product.pane.getAttribute("data-state")) === state;
    }, `the pane shows ${state}`);
  }

  test("a program that a synced file names is not run", { skip: notBare() }, async () => {
    const { program, starts } = fakeEngine("quarry 0.1.0 (protocol 1)", "exit 1");
    const data = Object.fromEntries(["engine", "enginePath", "engine-path", "quarry-engine-path", "program", "path"].map((key) => [key, program]));
    product = await openProduct({ notes: NOTES, engine: null, env: NOWHERE, data });
    await product.host.enable();
    await product.openPane();
    await product.shows("missing");

    assert.equal(starts(), 0);
  });

  test("an engine from the future: the plugin is too old", onUnix, async () => {
    const { program, starts } = fakeEngine("quarry 9.9.9 (protocol 99)", "exit 1");
    product = await openProduct({ notes: NOTES, engine: program });
    await product.host.enable();
    await product.openPane();
    await product.shows("outdated");
    const { title, detail, commands, actions } = await product.panelWords();

    assert.equal(title, "The plugin needs an update");
    assert.match(detail, /9\.9\.9/);
    assert.deepEqual(commands, []);
    assert.equal(actions[0], "Check again");
    assert.equal(starts(), 0);
  });

  test("an engine from the past: the command that updates it", onUnix, async () => {
    const { program } = fakeEngine("quarry 0.0.1 (protocol 0)", "exit 1");
    product = await openProduct({ notes: NOTES, engine: program });
    await product.host.enable();
    await product.openPane();
    await product.shows("outdated");
    const { title, commands } = await product.panelWords();

    assert.equal(title, "The search engine needs an update");
    assert.match(commands[0] ?? "", /^uv tool install --force quarry_search-[\d.]+-py3-none-any\.whl$/);
  });

  test("an engine that dies at every start is given up after five, with one notice and a way out", onUnix, async () => {
    const { program, starts } = fakeEngine("quarry 0.1.0 (protocol 1)", 'echo "the disk is on fire" >&2; exit 7');
    product = await openProduct({ notes: NOTES, engine: program, clock: true });
    await product.host.enable();
    await product.openPane();
    await hurryUntil("failed");
    const words = await product.panelWords();
    const log = await product.panel.locator(".quarry-panel-log").innerText();
    const startsUntilThen = starts();
    const notices = await product.host.notices();
    await product.page.clock.fastForward(600_000);
    const startsLater = starts();
    await product.panel.getByRole("button", { name: "Copy diagnostics" }).click();
    const report = await until(() => product.page.evaluate(() => navigator.clipboard.readText()), "the report is copied");
    await product.panel.getByRole("button", { name: "Restart" }).click();
    await until(() => starts() > MAX_STARTS, "it is tried again when asked");

    assert.equal(words.title, "The search engine keeps stopping");
    assert.equal(log, "the disk is on fire");
    assert.match(words.detail, /code 7/);
    assert.deepEqual([startsUntilThen, startsLater], [MAX_STARTS, MAX_STARTS]);
    assert.equal(notices.length, 1);
    assert.match(report, /the disk is on fire/);
  });

  test("an engine that says nothing is ended after its ten seconds", onUnix, async () => {
    const { program } = fakeEngine("quarry 0.1.0 (protocol 1)", "exec sleep 300");
    product = await openProduct({ notes: NOTES, engine: program, clock: true });
    await product.host.enable();
    await product.openPane();
    await hurryUntil("failed");

    assert.match((await product.panelWords()).detail, /did not respond within 10 seconds/);
    await until(() => product.host.children().length === 0, "no silent engine is left");
  });

  test("a program that is no engine is told by what it said", onUnix, async () => {
    const { program } = fakeEngine("quarry 0.1.0 (protocol 1)", 'echo "Usage: quarry STONES"; exec sleep 300');
    product = await openProduct({ notes: NOTES, engine: program, clock: true });
    await product.host.enable();
    await product.openPane();
    await hurryUntil("failed");

    assert.match((await product.panelWords()).detail, /Usage: quarry STONES/);
  });

  test("while a large vault is read: counts, a pause, and answers from what is done", async (t) => {
    product = await openProduct({ notes: largeVault(LARGE_VAULT) });
    await product.host.enable();
    await product.openPane();
    await product.freshness("indexing");
    const counts = await until(async () => /Indexing [1-9]\d* of 600 notes/.exec(await product.pane.locator(".quarry-progress-text").first().innerText()), "the counts are shown");
    const footers = await product.pane.locator(".quarry-foot").filter({ visible: true }).count();
    await product.input.fill("harbour");
    const early = await product.rowsUntil((rows) => rows.length > 0, "there are rows before all is read");
    const during = await product.adjustments();
    const offers = await product.pane.locator(".quarry-create").count();
    await product.pane.locator('.quarry-line [data-action="pause"]').click();
    await product.freshness("paused");
    const paused = await product.freshnessWords();
    await product.pane.locator(".quarry-status-action", { hasText: "Resume" }).click();
    await product.freshness("live");

    assert.ok(early.length > 0);
    assert.match(during, /^\d+% indexed, results are incomplete/);
    assert.deepEqual([footers, offers], [0, 0]);
    assert.match(paused, /^Paused · [\d,]+ notes still to index$/);
    assert.equal(await product.freshnessWords(), `Live · ${LARGE_VAULT.notes.toLocaleString("en")} notes`);
    t.diagnostic(`first counts seen: ${counts[0]}`);
  });

  test("small troubles of one search: nothing found, a query that cannot be read, a model that is not there", async () => {
    const model = "[embedding]\nmodel = \"/no/such/folder\"\n";
    product = await openProduct({ notes: { ...NOTES, ".quarry.toml": model } });
    await product.start();

    const found = await product.search("keel");
    const degradation = await product.pane.locator(".quarry-line").innerText();
    assert.equal(found[0]?.path, "Boat.md");
    assert.doesNotMatch(degradation, /Meaning search is off|\/no\/such\/folder/); // the bundled model answers

    assert.deepEqual(await product.search('-"keel" kind:pdf'), []);
    await product.shows("no-results");
    await product.panel.getByRole("button", { name: "Remove kind:pdf" }).click();
    await product.shows("bad-query");
    assert.equal(await product.input.inputValue(), '-"keel"');

    await product.search("  -keel");
    await product.shows("bad-query");
    assert.match((await product.panelWords()).detail, /-keel/);
    await product.panel.getByRole("button", { name: "Go to the error" }).click();
    assert.equal(await product.input.evaluate((input) => "selectionStart" in input && input.selectionStart), 2);
  });

  test("nothing under the filters: the nearest that meet them, else the filter that none meets, and the way to drop it", async () => {
    product = await openProduct({ notes: NOTES });
    await product.start();
    const rows = await product.search("keel folder:Old");
    const adjustment = await product.adjustments();
    await product.search("qwrtzpsdf folder:Old");
    await product.shows("no-results");
    const { title, actions } = await product.panelWords();
    const offers = await product.pane.locator(".quarry-create").count();
    await product.search("keel folder:Nowhere");
    await product.shows("no-results");
    const unmet = await product.panelWords();
    const offersUnmet = await product.pane.locator(".quarry-create").count();
    await product.panel.getByRole("button", { name: "Search without filters" }).click();
    await product.rowsUntil(([first]) => first?.path === "Boat.md", "the note is found without the filter");

    assert.deepEqual(rows.map(({ path }) => path), ["Old/Tea.md"]);
    assert.match(adjustment, /^No notes that match your filters contain “keel”/);
    assert.deepEqual([title, actions], ["No notes that match your filters contain these words.", ["Search without filters"]]);
    assert.deepEqual([unmet.title, unmet.actions], ["No notes with folder:Nowhere", ["Remove folder:Nowhere", "Search without filters"]]);
    assert.deepEqual([offers, offersUnmet], [0, 0]);
  });

  test("a slip of the finger is corrected when the typing rests, and can be insisted on", async () => {
    product = await openProduct({ notes: { ...NOTES, "Varnish.md": "# Varnish\n\nThe varnished mahogany shone.\n" } });
    await product.start();
    await product.search("mahogny");
    await product.adjusted(/mahogany.*mahogny/);
    const rows = await product.rows();
    await product.pane.getByRole("button", { name: "Search as typed" }).click();
    await product.answered();

    assert.equal(rows[0]?.path, "Varnish.md");
    assert.equal(await product.input.inputValue(), '"mahogny"');
  });

  test("settings: a folder that is left out is found no more, and the file says so", async () => {
    product = await openProduct({ notes: NOTES });
    await product.start();
    await product.search("spoons");
    await product.rowsUntil((rows) => rows.some(({ path }) => path === "Old/Tea.md"), "the note is found at first");
    await product.host.openSettings();
    const item = product.page.locator(".setting-item", { hasText: "Exclude these folders" });
    await item.locator("textarea").fill("Old");
    await item.locator("textarea").blur();
    const file = join(product.vault.path, ".quarry.toml");
    await until(() => existsSync(file) && /exclude = \["Old"\]/.test(readFileSync(file, "utf8")), "the vault's settings are written");
    await product.page.keyboard.press("Escape");

    await product.rowsUntil((rows) => rows.every(({ path }) => path !== "Old/Tea.md"), "the note is found no more");
  });
});

/**
 * Notes of a few words in ever new orders.
 *
 * @param {{ notes: number, sections: number }} size
 */
function largeVault({ notes, sections }) {
  const words = ["harbour", "meadow", "lantern", "copper", "willow", "granite", "saddle", "orchard", "thimble", "beacon", "ferry", "kettle"];
  const paragraph = (/** @type {number} */ seed) => Array.from({ length: 60 }, (_, at) => words[(seed * 7 + at * (seed % 5 + 1)) % words.length]).join(" ");
  const section = (/** @type {number} */ seed) => `## Part ${seed}\n\n${paragraph(seed)}.\n\n`;
  const note = (/** @type {number} */ seed) => `# Note ${seed}\n\n${Array.from({ length: sections }, (_, at) => section(seed * sections + at)).join("")}`;
  return Object.fromEntries(Array.from({ length: notes }, (_, at) => [`Folder ${at % 40}/Note ${at}.md`, note(at)]));
}
