// @vitest-environment jsdom
import "./dom";
import { type App, type WorkspaceLeaf } from "obsidian";
import { expect, test } from "vitest";
import { LastEditor } from "../../../plugin/ui/last-editor";
import { TestEditor, noteView } from "./writing-doubles";

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
