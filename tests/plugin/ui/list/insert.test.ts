// @vitest-environment jsdom
import { type App, type WorkspaceLeaf } from "obsidian";
import { describe, expect, test } from "vitest";
import "../dom";
import { type PlaceRow } from "../../../../plugin/pane/rows";
import { insertRows, LastEditor } from "../../../../plugin/ui/list/insert";
import { hit, hitRow, passage } from "../../builders";
import { appWith, noteView, TestEditor } from "../writing-doubles";

describe("insert", () => {
  const NOTES = { "API.md": "# API\r\n\r\n## Backoff\r\n\r\nretry with capped\r\nbackoff\r\n\r\nNext.", "Ops.md": "Ops." };

  function row(path: string, headingPath: readonly string[] = ["API", "Backoff"]): PlaceRow {
    return hitRow(hit(path), { passage: passage({ headingPath, snippet: "retry with capped backoff", marks: [{ start: 0, end: 5, kind: "word" }] }) });
  }

  describe("a link", () => {
    test("is inserted behind the caret in one step, and the writing goes on behind it", async () => {
      const editor = new TestEditor("see |.");

      expect(await insertRows(appWith(NOTES), noteView(editor), [row("API.md")], "link")).toBeNull();
      expect(editor.shown).toBe("see [[API#Backoff]]|.");
      expect(editor.steps).toEqual(["[[API#Backoff]]", "scrolled", "focused"]);
    });

    test("of each note makes a list, without those that are gone", async () => {
      const editor = new TestEditor("|");
      await insertRows(appWith(NOTES), noteView(editor), [row("API.md"), row("gone.md"), row("Ops.md", [])], "link");

      expect(editor.shown).toBe("- [[API#Backoff]]\n- [[Ops]]|");
    });
  });

  test("a quotation is the paragraph as the note has it, with its source", async () => {
    const editor = new TestEditor("one\n|");
    await insertRows(appWith(NOTES), noteView(editor), [row("API.md")], "quote");

    expect(editor.shown).toBe("one\n\n> retry with capped\n> backoff\n>\n> — [[API#Backoff]]\n|");
  });

  describe("nothing is inserted, and it is said why,", () => {
    test("where no note is open", async () => {
      expect(await insertRows(appWith(NOTES), null, [row("API.md")], "link")).toBe("No note is open to insert into. Open one, place the cursor, then try again.");
    });

    test("in reading view", async () => {
      const editor = new TestEditor("|");

      expect(await insertRows(appWith(NOTES), noteView(editor, "preview"), [row("API.md")], "link")).toBe("“Daily” is open in reading view. Switch to editing view to insert into it.");
      expect(editor.steps).toEqual([]);
    });

    test("when the note is gone", async () => {
      expect(await insertRows(appWith(NOTES), noteView(new TestEditor("|")), [row("gone.md")], "link")).toBe("This note is no longer in the vault");
    });

    test("when the tab shows another note by the time that the passage is read", async () => {
      const editor = new TestEditor("|");
      const view = noteView(editor);
      const done = insertRows(appWith(NOTES), view, [row("API.md")], "quote");
      Object.assign(view.file ?? {}, { path: "Other.md" });

      expect(await done).toMatch(/^No note is open/u);
      expect(editor.steps).toEqual([]);
    });
  });
});

describe("last editor", () => {
  function leafOf(view: unknown): WorkspaceLeaf {
    const leaf: unknown = { view };
    return leaf as WorkspaceLeaf;
  }

  test("is the note that was used last, also while another view has the focus, until its tab is closed", () => {
    const [first, second] = [leafOf(noteView(new TestEditor("|"))), leafOf(noteView(new TestEditor("|")))];
    const open = [first, second];
    const app = { workspace: { iterateAllLeaves: (visit: (leaf: WorkspaceLeaf) => void) => { open.forEach(visit); }, getMostRecentLeaf: () => second } };
    const last = new LastEditor(app as unknown as App);
    last.observe(first);
    last.observe(leafOf({})); // the pane
    last.observe(null);
    const before = last.view;
    open.shift();

    expect(before).toBe(first.view);
    expect(last.view).toBe(second.view);
  });

  test("is none where no note is open", () => {
    const app = { workspace: { iterateAllLeaves: () => undefined, getMostRecentLeaf: () => leafOf({}) } };

    expect(new LastEditor(app as unknown as App).view).toBeNull();
  });
});
