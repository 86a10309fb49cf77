import { type App, type Component, TFile } from "obsidian";
import { expect, test } from "vitest";
import { noteNamesOf } from "../../../plugin/ui/note-names";

type Listener = (...args: unknown[]) => void;

/** An app with files, metadata and events that the test fires. */
function appWith(caches: Readonly<Record<string, unknown>>): { app: App; fire: (name: string, ...args: unknown[]) => void } {
  const listeners: [string, Listener][] = [];
  const on = (name: string, run: Listener): object => {
    listeners.push([name, run]);
    return {};
  };
  const file = (path: string): { path: string } => Object.assign(Object.create(TFile.prototype) as object, { path, extension: path.split(".").at(-1), stat: { mtime: 5, ctime: 0, size: 0 } });
  const files = Object.keys(caches).map(file);
  const app = {
    vault: { on, getMarkdownFiles: () => files, getAbstractFileByPath: (path: string) => files.find((one) => one.path === path) ?? null },
    metadataCache: { on, getFileCache: ({ path }: TFile) => caches[path] },
  };
  return { app: app as unknown as App, fire: (name, ...args) => { for (const [wanted, run] of listeners) if (wanted === name) run(...args); } };
}

const owner = { registerEvent: () => undefined } as unknown as Component;
const at = (line: number, offset: number): object => ({ start: { line, col: 0, offset }, end: { line, col: 0, offset } });

test("names come from front matter, headings and tags", () => {
  const cache = {
    frontmatter: { title: " Old boat ", aliases: ["Sloop", "Yawl"] },
    headings: [{ heading: "Keel", level: 2, position: at(4, 40) }],
    tags: [{ tag: "#sea" }, { tag: "#sea" }],
  };
  const names = noteNamesOf(appWith({ "Boat.md": cache }).app, owner).namesOf("Boat.md");

  expect(names).toEqual({ path: "Boat.md", modifiedMs: 5, title: "Old boat", aliases: ["Sloop", "Yawl"], headings: [{ text: "Keel", level: 2, line: 4, start: 43 }], tags: ["#sea"] });
});

test("a note that is not in the cache yet has its file name", () => {
  const { app } = appWith({ "Boat.md": null, "Tea.md": { headings: [{ heading: "Tea time", level: 1, position: at(0, 0) }] } });
  const source = noteNamesOf(app, owner);

  expect(source.namesOf("Boat.md")).toMatchObject({ title: null, aliases: [], headings: [], tags: [] });
  expect(source.namesOf("Tea.md")?.title).toBe("Tea time");
  expect([source.namesOf("Gone.md"), source.paths()]).toEqual([null, ["Boat.md", "Tea.md"]]);
});

test("what is new, changed, renamed or gone is told of", () => {
  const { app, fire } = appWith({});
  const told: string[] = [];
  noteNamesOf(app, owner).changed.listen((path) => told.push(path));
  fire("changed", { path: "a.md" });
  fire("create", { path: "b.md" });
  fire("delete", { path: "c.md" });
  fire("rename", { path: "e.md" }, "d.md");

  expect(told).toEqual(["a.md", "b.md", "c.md", "d.md", "e.md"]);
});
