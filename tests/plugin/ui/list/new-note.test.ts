// @vitest-environment jsdom
import { type App, type Editor } from "obsidian";
import { describe, expect, test, vi } from "vitest";
import { answer } from "../../builders";
import "../dom";
import { createNote, fileNameOf, insertBlock, newNoteName, newSearchNote, offeredNote } from "../../../../plugin/ui/list/new-note";

describe("create note", () => {
  function appWhere(fields: { readonly existing?: string; readonly refuses?: boolean }): { app: App; did: string[] } {
    const did: string[] = [];
    const app = {
      metadataCache: { getFirstLinkpathDest: (name: string) => (name === fields.existing ? {} : null) },
      fileManager: { getNewFileParent: (source: string, path: string) => ({ path: `Inbox of ${source} for ${path}` }) },
      vault: { create: async (path: string) => (fields.refuses ? Promise.reject(new Error("File already exists.")) : Promise.resolve(did.push(`create ${path}`))) },
      workspace: {
        getActiveFile: () => ({ path: "Daily.md" }),
        getLeaf: () => ({ view: {}, openFile: async (_: unknown, state: unknown) => Promise.resolve(did.push(`open ${JSON.stringify(state)}`)) }),
      },
    };
    return { app: app as unknown as App, did };
  }

  test("a note is offered under the query's words, unless there is one of that name", () => {
    expect(offeredNote(appWhere({}).app, answer({ query: "tag:#x rate limit" }))).toBe("rate limit");
    expect(offeredNote(appWhere({ existing: "rate limit" }).app, answer({ query: "rate limit" }))).toBeNull();
    expect(offeredNote(appWhere({}).app, answer({ query: "tag:#x" }))).toBeNull();
    expect(offeredNote(appWhere({}).app, answer({ query: "which rate limit", isQuestion: true }))).toBeNull();
  });

  test("it is created where Obsidian creates new notes, and opened for writing", async () => {
    const { app, did } = appWhere({});
    await createNote(app, "rate limit");

    expect(did).toEqual(["create Inbox of Daily.md for rate limit.md/rate limit.md", 'open {"active":true,"state":{"mode":"source"}}']);
  });

  test("one that cannot be created opens nothing", async () => {
    const { app, did } = appWhere({ refuses: true });
    await createNote(app, "rate limit");

    expect(did).toEqual([]);
  });
});

describe("new note", () => {
  describe("the name of a new note", () => {
    test.each([
      ["rate limit retry", "rate limit retry"],
      ["  rate   limit ", "rate limit"],
      ['tag:#work folder:"My notes" rate limit', "rate limit"],
      ['"rate limit" OR backoff -jitter', "rate limit backoff"],
      ["(rate limit) [status:done] modified:7d", "rate limit"],
      ["Re: the plan", "Re the plan"],
      ["東京の天気", "東京の天気"],
      ["C++ / Rust", "C++ Rust"],
    ])("%j is called %j", (query, name) => {
      expect(newNoteName(query)).toBe(name);
    });

    test.each(["", "   ", "tag:#work", 'path:"A b" -draft', "/v\\d+/", "[status:done]", "OR", "()", "?", "-\"not this\"", "..."])("%j gives none", (query) => {
      expect(newNoteName(query)).toBeNull();
    });
  });

  describe("a file's name", () => {
    test("holds nothing that a file system or a link refuses", () => {
      expect(fileNameOf('a\\b/c:d*e?f"g<h>i|j#k^l[m]n\u0000o\u202Ep')).toBe("a b c d e f g h i j k l m n o p");
    });

    test("begins with no dot and ends with neither dot nor space", () => {
      expect(fileNameOf("...hidden. ")).toBe("hidden");
    });

    test("is no device of Windows", () => {
      expect(["con", "COM1", "nul.txt", "console"].map((name) => fileNameOf(name))).toEqual(["_con", "_COM1", "_nul.txt", "console"]);
    });

    test("is cut between characters, to what fits", () => {
      const family = "👩‍👩‍👧‍👦";
      const name = fileNameOf(family.repeat(50)) ?? "";

      expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(240);
      expect(name).toBe(family.repeat(9));
      expect(fileNameOf("x".repeat(300))).toHaveLength(100);
    });

    test("has no half of a surrogate pair", () => {
      expect(fileNameOf("a\uD83D b")).toBe("a b");
    });
  });
});

describe("keep search", () => {
  function editorAt(before: string): { editor: Editor; written: string[] } {
    const written: string[] = [];
    const editor = { getCursor: () => ({ line: 0, ch: before.length }), getLine: () => before, replaceSelection: (text: string) => written.push(text) };
    return { editor: editor as unknown as Editor, written };
  }

  test("a block stands on lines of its own", () => {
    const inLine = editorAt("some text ");
    const atStart = editorAt("  ");
    insertBlock(inLine.editor, "```quarry\n```\n");
    insertBlock(atStart.editor, "```quarry\n```\n");

    expect([inLine.written, atStart.written]).toEqual([["\n```quarry\n```\n"], ["```quarry\n```\n"]]);
  });

  test("a note of a search is named by its words, without what no file may be named, and takes no other note's place", async () => {
    const create = vi.fn(async (path: string) => Promise.resolve({ path }));
    const openFile = vi.fn();
    const app = {
      vault: { create, getAbstractFileByPath: (path: string) => (path === "Inbox/Search a b.md" ? {} : null) },
      workspace: { getActiveFile: () => null, getLeaf: () => ({ openFile }) },
      fileManager: { getNewFileParent: () => ({ path: "Inbox" }) },
    } as unknown as App;
    await newSearchNote(app, 'a/"b"', "keyword");

    expect(create).toHaveBeenCalledWith("Inbox/Search a b 1.md", '```quarry\na/"b"\nmode: words\n```\n');
    expect(openFile).toHaveBeenCalled();
  });
});
