/** Changes in the app are searchable at once: saved text is found, deleted and renamed text is not. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SAMPLE, startProduct, until } from "./product.mjs";

const SAVES = 5;
const BURST = 100;

const product = await startProduct({ from: SAMPLE });
const { host } = product;

describe("a vault that changes", () => {
  /**
   * Search for a word; wait until its note is, or is not, among the rows with that word marked.
   *
   * @param {string} word
   * @param {string | null} path null: nowhere
   */
  async function isFoundIn(word, path) {
    await product.search(word);
    await product.rowsUntil((rows) => {
      const marked = rows.filter(({ words }) => words.includes(word)).map((row) => row.path);
      return path === null ? marked.length === 0 : marked.includes(path);
    }, `${word} is found in ${path}`);
  }

  test("a new word of a saved note appears in the open list by itself", async () => {
    await host.write("Inbox/Log.md", "Nothing yet.\n");
    for (let save = 0; save < SAVES; save += 1) {
      const word = wordOf(save);
      await product.search(word);
      await host.write("Inbox/Log.md", `Entry ${save}.\n\nToday: ${word}.\n`);
      await product.rowsUntil((rows) => rows.some(({ path, words }) => path === "Inbox/Log.md" && words.includes(word)), `${word} is seen`);
    }
  });

  test("a word that was edited away is found no more", async () => {
    await host.write("Inbox/Edited.md", "The hummocky path.\n");
    await isFoundIn("hummocky", "Inbox/Edited.md");

    await host.write("Inbox/Edited.md", "The flat path.\n");

    await isFoundIn("hummocky", null);
  });

  test("a created note in a new folder is found, a deleted one is not", async () => {
    await host.write("Fresh/Deep/Note.md", "A brindlewood table.\n");
    await isFoundIn("brindlewood", "Fresh/Deep/Note.md");

    await host.remove("Fresh/Deep/Note.md");

    await isFoundIn("brindlewood", null);
  });

  test("a renamed note is found under its new path only", async () => {
    await host.write("Inbox/Before.md", "Some quillwort.\n");
    await isFoundIn("quillwort", "Inbox/Before.md");

    await host.rename("Inbox/Before.md", "Plants/After.md");
    await isFoundIn("quillwort", "Plants/After.md");
    const paths = (await product.rows()).map(({ path }) => path);

    assert.ok(!paths.includes("Inbox/Before.md"));
  });

  test("a renamed folder takes its notes along", async () => {
    const before = (await product.search("glue folder:Howto")).map(({ path }) => path);
    await host.rename("Howto", "Workshop/Guides");
    await product.search("glue folder:Workshop/Guides");
    /** @param {{ path: string }} row */
    const isThere = ({ path }) => path.startsWith("Workshop/Guides/");
    const moved = await product.rowsUntil(
      (rows) => rows.length >= before.length && rows.every(isThere), // until then, rows from elsewhere stand in for them
      "the folder's notes are found in their new place",
    );
    await product.search("folder:Howto");
    await product.rowsUntil((rows) => rows.length === 0, "nothing is left in the old place");

    assert.deepEqual(moved.map(({ path }) => path).sort(), before.map((path) => path.replace("Howto", "Workshop/Guides")).sort());
  });

  test("opening a row after its folder was renamed opens the note", async () => {
    await product.search("glue folder:Workshop/Guides");
    const [first] = await product.rows();
    await product.input.press("Enter");

    assert.equal((await product.opened(first?.path ?? "")).path, first?.path);
  });

  test("a deleted folder takes its notes along", async () => {
    await host.write("Gone/One.md", "A sprocketeer.\n");
    await host.write("Gone/Two.md", "Another sprocketeer.\n");
    await isFoundIn("sprocketeer", "Gone/Two.md");

    await host.remove("Gone");

    await isFoundIn("sprocketeer", null);
  });

  test(`of ${BURST} saves in a burst the last of each note counts`, async () => {
    const notes = 10;
    for (let save = 0; save < BURST; save += 1) {
      await host.write(`Burst/Note ${save % notes}.md`, `Burst marblewick ${wordOf(1000 + save)}.\n`);
    }
    const last = Array.from({ length: notes }, (_, note) => BURST - notes + note);
    for (const save of last) await isFoundIn(wordOf(1000 + save), `Burst/Note ${save % notes}.md`);

    for (const save of [0, 45, BURST - notes - 1]) await isFoundIn(wordOf(1000 + save), null);
  });

  test("a save, a rename and a save in one breath end where they end", async () => {
    await host.write("Order/First.md", "It says flaxbright.\n");
    await host.rename("Order/First.md", "Order/Second.md");
    await host.write("Order/Second.md", "It says gorsebright.\n");
    await host.write("Order/First.md", "It says heathbright.\n");

    await isFoundIn("gorsebright", "Order/Second.md");
    await isFoundIn("heathbright", "Order/First.md");
    await isFoundIn("flaxbright", null);
  });

  test("two notes that swap their names end with each other's text", async () => {
    await host.write("Swap/A.md", "Only alderwink.\n");
    await host.write("Swap/B.md", "Only birchwink.\n");
    await isFoundIn("birchwink", "Swap/B.md");

    await host.rename("Swap/A.md", "Swap/C.md");
    await host.rename("Swap/B.md", "Swap/A.md");
    await host.rename("Swap/C.md", "Swap/B.md");

    await isFoundIn("alderwink", "Swap/B.md");
    await isFoundIn("birchwink", "Swap/A.md");
  });

  test("what another program writes into the vault is found, and what it deletes is not", async () => {
    writeFileSync(join(product.vault.path, "From sync.md"), "Arrived: thistlemere.\n");
    await isFoundIn("thistlemere", "From sync.md");

    rmSync(join(product.vault.path, "From sync.md"));

    await isFoundIn("thistlemere", null);
  });

  test("the line below the list says the right number of notes when all is done", async () => {
    const words = await until(async () => {
      const text = await product.freshnessWords();
      return text.startsWith("Live") ? text : null;
    }, "the index is live");
    const { notes } = JSON.parse((await product.cli("status", "--json")).stdout);

    assert.match(words, new RegExp(`^Live · ${notes} notes`));
  });
});

/**
 * A word that is in no note, of letters only.
 *
 * @param {number} number
 */
function wordOf(number) {
  const letters = [...String(number)].map((digit) => "bdfgklmnpr"[Number(digit)]).join("a");
  return `vexo${letters}um`;
}
