import { describe, expect, test } from "vitest";
import { InspectorTree, PAGE, type TreeSource, rowKey } from "../../../plugin/inspector/tree";
import { type FolderState, type InspectFoldersParams, type InspectNotesParams, type StateCounts } from "../../../plugin/protocol/messages";

const COUNTS: StateCounts = { indexed: 1, partial: 0, hidden: 0, waiting: 0, excluded: 0, failed: 0, withoutVectors: 0 };

/** A vault of folders and notes by their paths; folders end with a slash. */
class FakeVault implements TreeSource {
  readonly asked: string[] = [];
  isGone = false;

  constructor(private readonly paths: readonly string[]) {}

  readonly folders = ({ folder = "", offset = 0, limit = 100 }: InspectFoldersParams): ReturnType<TreeSource["folders"]> => {
    this.asked.push(folder);
    if (this.isGone) return Promise.resolve({ ok: false, failure: { kind: "disconnected" } });
    const inner = this.#inside(folder).filter((path) => path.endsWith("/")).map((path) => state(path.slice(0, -1)));
    return Promise.resolve({ ok: true, value: { folder: state(folder), folders: inner.slice(offset, offset + limit), total: inner.length } });
  };

  readonly notes = ({ folder = "", below = false, offset = 0, limit = 100 }: InspectNotesParams): ReturnType<TreeSource["notes"]> => {
    const inner = below ? this.paths.filter((path) => !path.endsWith("/")) : this.#inside(folder).filter((path) => !path.endsWith("/"));
    const notes = inner.slice(offset, offset + limit).map((path) => ({ path, state: "indexed" as const, reason: null }));
    return Promise.resolve({ ok: true, value: { notes, total: inner.length } });
  };

  #inside(folder: string): readonly string[] {
    const prefix = folder === "" ? "" : `${folder}/`;
    return this.paths.filter((path) => path.startsWith(prefix) && /^[^/]+\/?$/.test(path.slice(prefix.length)));
  }
}

function state(path: string): FolderState {
  return { path, counts: COUNTS, folderCount: 0, excludedBy: null };
}

const keys = (tree: InspectorTree): readonly string[] => tree.rows().map(rowKey);

describe("the inspector's tree", () => {
  test("asks for a branch when it is opened, not before", async () => {
    const vault = new FakeVault(["a/", "a/b/", "a/b/2.md", "a/1.md", "3.md"]);
    const tree = new InspectorTree(vault);
    await tree.refresh();
    expect(keys(tree)).toEqual(["f:a", "n:3.md"]);

    await tree.toggle("a");
    expect(keys(tree)).toEqual(["f:a", "f:a/b", "n:a/1.md", "n:3.md"]);
    expect(vault.asked).toEqual(["", "a"]);

    await tree.toggle("a");
    expect(keys(tree)).toEqual(["f:a", "n:3.md"]);
  });

  test("shows thousands of folders a page at a time, and keeps what was shown when it is asked again", async () => {
    const tree = new InspectorTree(new FakeVault(Array.from({ length: 3000 }, (_, at) => `${at}/`)));
    await tree.refresh();
    expect(tree.rows().at(-1)).toMatchObject({ kind: "more", left: 3000 - PAGE });
    expect(tree.rows()).toHaveLength(PAGE + 1);

    for (let page = 0; page < 4; page += 1) await tree.more("");
    expect(tree.rows()).toHaveLength(5 * PAGE + 1);
    await tree.refresh();
    expect(tree.rows()).toHaveLength(5 * PAGE + 1);
    expect(new Set(keys(tree)).size).toBe(5 * PAGE + 1);
  });

  test("one state alone is a list without folders", async () => {
    const tree = new InspectorTree(new FakeVault(["a/", "a/1.md", "3.md"]));
    await tree.show("indexed");

    expect(keys(tree)).toEqual(["n:a/1.md", "n:3.md"]);
    expect(tree.rows()[0]).toMatchObject({ level: 1, withFolder: true });
  });

  test("keeps what it has when an answer fails, and says why", async () => {
    const vault = new FakeVault(["3.md"]);
    const tree = new InspectorTree(vault);
    await tree.refresh();
    vault.isGone = true;
    await tree.refresh();

    expect(keys(tree)).toEqual(["n:3.md"]);
    expect(tree.failure).toEqual({ kind: "disconnected" });
  });

  test("an older answer that comes late is not shown", async () => {
    const vault = new FakeVault(["a/", "a/1.md", "3.md"]);
    const tree = new InspectorTree(vault);
    const older = tree.refresh();
    await tree.show("indexed");
    await older;

    expect(keys(tree)).toEqual(["n:a/1.md", "n:3.md"]);
  });
});
