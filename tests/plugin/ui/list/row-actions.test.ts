// @vitest-environment jsdom
import "../dom";
import { Modal, type PaneType, type TFile } from "obsidian";
import { expect, test, vi } from "vitest";
import { type PlaceRow } from "../../../../plugin/pane/rows";
import { type Hit, type Origin } from "../../../../plugin/protocol/messages";
import { rowActions, type RowHandlers } from "../../../../plugin/ui/list/row-actions";
import { hit, hitRow, settled } from "../../builders";
import { appWith, noteView, TestEditor } from "../writing-doubles";

const rows = (...paths: readonly string[]): readonly PlaceRow[] => paths.map((path) => hitRow(hit(path), { passage: null }));

function actionsOn(paths: readonly string[]): { actions: RowHandlers; did: string[] } {
  const did: string[] = [];
  const app = appWith(Object.fromEntries(paths.map((path) => [path, ""])));
  const getLeaf = (where: PaneType | boolean): object => ({
    openFile: async (file: TFile, { active }: { active: boolean }) => Promise.resolve(did.push(`open ${file.path} ${String(where)}${active ? "" : " behind"}`)),
  });
  Object.assign(app.workspace, { getLeaf });
  const actions = rowActions({
    app,
    lastEditor: { view: noteView(new TestEditor("|")) },
    copy: (text, win) => did.push(`copy ${text} ${win === window ? "here" : "elsewhere"}`),
    win: () => window,
    look: ({ key }) => did.push(`look at ${key}`),
    opening: ({ key }) => did.push(`opening ${key}`),
    report: (path, kind) => did.push(`${kind} ${path}`),
    setDismissed: (path, isDismissed) => did.push(`set ${path} ${String(isDismissed)}`),
    explain: () => null,
    setContext: () => null,
  });
  return { actions, did };
}

test("a note from elsewhere is opened in its vault, or in the system's program; one that is no file is looked at", async () => {
  const { actions, did } = actionsOn([]);
  const open = vi.spyOn(window, "open").mockImplementation((url) => did.push(String(url)) as never);
  const from = (kind: Origin["kind"], folder: string | null, path: string): PlaceRow => hitRow({ ...hit(path), origin: { kind, name: "x", path: folder } } as Hit, { passage: null });
  actions.open([from("vault", "/home/u/Work notes", "/home/u/Work notes/Ä & B.md")], "tab");
  actions.open([from("project", "/src/a#b", "/src/a#b/docs/q?.md")], false);
  actions.open([from("agent", "C:\\Users\\u\\agent", "C:\\Users\\u\\agent\\n.md")], false);
  actions.open([from("team", null, "//board/n.md")], false);
  await settled();
  open.mockRestore();

  expect(did.filter((what) => !what.startsWith("opening"))).toEqual(["obsidian://open?path=%2Fhome%2Fu%2FWork%20notes%2F%C3%84%20%26%20B.md", "file:///src/a%23b/docs/q%3F.md", "file:///C:/Users/u/agent/n.md", "look at //board/n.md"]);
});

test("one is opened where it is wanted, several in tabs of their own, the first in front", async () => {
  const { actions, did } = actionsOn(["a.md", "b.md"]);
  actions.open(rows("a.md"), "split");
  await settled();
  actions.open(rows("a.md", "b.md"), false);
  await settled();
  actions.open(rows("b.md"), "background");
  await settled();

  expect(did.filter((line) => line.startsWith("open "))).toEqual(["open a.md split", "open a.md tab", "open b.md tab behind", "open b.md tab behind"]);
  expect(did.slice(0, 2)).toEqual(["opening a.md", "opened a.md"]);
});

test("more than ten are opened only after a question", async () => {
  const many = Array.from({ length: 11 }, (_, at) => `${at}.md`);
  const { actions, did } = actionsOn(many);
  const asked = vi.spyOn(Modal.prototype, "open").mockImplementation(() => undefined);
  actions.open(rows(...many), "tab");
  await settled();

  expect([asked.mock.calls.length, did]).toEqual([1, []]);
});

test("links are copied in the window of the list, each on a line, and the engine is told", () => {
  const { actions, did } = actionsOn(["a.md", "b.md"]);
  actions.copyLinks(rows("a.md", "b.md", "gone.md"));

  expect(did).toEqual(["copy [[a]]\n[[b]] here", "copied a.md", "copied b.md", "copied gone.md"]);
});

test("an insertion is told once it was made", async () => {
  const { actions, did } = actionsOn(["a.md"]);
  actions.insert(rows("gone.md"), "link");
  await settled();
  actions.insert(rows("a.md"), "link");
  await settled();

  expect(did).toEqual(["inserted a.md"]);
});

test("a dismissal and its undoing are both told", () => {
  const { actions, did } = actionsOn(["a.md"]);
  actions.dismiss(rows("a.md"), true);
  actions.dismiss(rows("a.md"), false);

  expect(did).toEqual(["set a.md true", "dismissed a.md", "set a.md false", "restored a.md"]);
});
