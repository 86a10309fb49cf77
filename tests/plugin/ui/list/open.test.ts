// @vitest-environment jsdom
import { type App, MarkdownView, type PaneType, type TFile, type Vault } from "obsidian";
import { beforeEach, describe, expect, test, vi } from "vitest";
import "../dom";
import { documentSubpath, noteAt, openHit } from "../../../../plugin/ui/list/open";
import { passage } from "../../builders";

describe("open hit", () => {
  const DISK = "\uFEFF# Gate\r\n\r\nretry with capped backoff";
  const found = passage({ snippet: "retry with capped backoff", marks: [{ start: 18, end: 25, kind: "word" }], matchStart: 26, matchEnd: 33 });

  interface Opened {
    readonly path: string;
    readonly where: unknown;
    readonly active: boolean | undefined;
    readonly eState: { line?: number; match?: { content: string; matches: number[][] } } | undefined;
  }

  let opened: Opened[];
  let cursors: string[];
  let mode: "source" | "preview";
  let editorText: string;

  beforeEach(() => {
    opened = [];
    cursors = [];
    mode = "source";
    editorText = "# Gate\n\nretry with capped backoff";
  });

  /** A Markdown view with just the editor that is asked here; a position is its offset. */
  function markdownView(): MarkdownView {
    const view: unknown = Object.create(MarkdownView.prototype);
    const editor = {
      getValue: () => editorText,
      offsetToPos: (offset: number) => ({ line: 0, ch: offset }),
      setCursor: (at: { ch: number }) => cursors.push(editorText.slice(at.ch).split(" ")[0] ?? ""),
      scrollIntoView: () => undefined,
    };
    Object.defineProperties(view, { editor: { value: editor }, getMode: { value: () => mode }, containerEl: { value: document.body } });
    return view as MarkdownView;
  }

  function appWith(...paths: readonly string[]): App {
    const files = paths.map((path) => ({ path }));
    const vault = {
      getFileByPath: (path: string) => files.find((file) => file.path === path) ?? null,
      getFiles: () => files,
      cachedRead: () => Promise.resolve(DISK),
    };
    const getLeaf = (where: PaneType | boolean): object => ({
      view: markdownView(),
      openFile: (file: TFile, { active, eState }: Pick<Opened, "active" | "eState">) => {
        opened.push({ path: file.path, where, active, eState });
        return Promise.resolve();
      },
    });
    return { vault, workspace: { getLeaf } } as unknown as App;
  }

  describe("opening a hit", () => {
    test("puts the cursor at the passage, counted as the editor counts", async () => {
      await openHit(appWith("a.md"), "a.md", found, false);

      expect(cursors).toEqual(["backoff"]);
    });

    test("tells reading view the line and the match, in text without mark and carriage returns", async () => {
      mode = "preview";
      await openHit(appWith("a.md"), "a.md", found, false);

      const { eState } = opened[0] ?? {};
      expect(eState?.line).toBe(2);
      expect(eState?.match?.matches.map(([start, end]) => eState.match?.content.slice(start, end))).toEqual(["backoff"]);
      expect(cursors).toEqual([]);
    });

    test("finds the passage in text that is not saved yet", async () => {
      editorText = `A new line\n\n${editorText}`;
      await openHit(appWith("a.md"), "a.md", found, false);

      expect(cursors).toEqual(["backoff"]);
    });

    test("lights all marks of the passage, not only the one that is jumped to", async () => {
      const marks = [{ start: 0, end: 5, kind: "word" }, { start: 18, end: 25, kind: "word" }] as const;
      await openHit(appWith("a.md"), "a.md", { ...found, marks, matchStart: 8, matchEnd: 13 }, false);

      const { eState } = opened[0] ?? {};
      expect(eState?.match?.matches.map(([start, end]) => eState.match?.content.slice(start, end))).toEqual(["retry", "backoff"]);
      expect(cursors).toEqual(["retry"]);
    });

    test("opens where the modifier keys say, in the background without the focus", async () => {
      await openHit(appWith("a.md"), "a.md", found, "tab");
      await openHit(appWith("a.md"), "a.md", found, "tab", false);

      expect(opened.map(({ where, active }) => [where, active])).toEqual([["tab", true], ["tab", false]]);
    });

    test("a note that is gone opens nothing", async () => {
      expect(await openHit(appWith(), "a.md", found, false)).toBe(false);
      expect(opened).toEqual([]);
    });

    test("a note without a passage opens at its start", async () => {
      expect(await openHit(appWith("a.md"), "a.md", null, false)).toBe(true);
      expect(opened).toEqual([{ path: "a.md", where: false, active: true, eState: undefined }]);
    });
  });

  test("a note is found although the disk spells its accents in two characters", () => {
    const { vault } = appWith("Cafe\u0301.md") as { vault: Vault };

    expect(noteAt(vault, "Caf\u00e9.md")?.path).toBe("Cafe\u0301.md");
  });
});

describe("open document", () => {
  /** An app with one file, whose views are `view`; a canvas is never read as text. */
  function appWith(path: string, view: object, opened: unknown[] = []): App {
    const getLeaf = (where: PaneType | boolean): object => ({ view, openFile: async (file: TFile, state: unknown) => Promise.resolve(opened.push({ path: file.path, where, state })) });
    const cachedRead = (): never => { throw new Error("not a note"); };
    return { vault: { getFileByPath: () => ({ path }), cachedRead }, workspace: { getLeaf } } as unknown as App;
  }

  const ofCard = passage({ anchor: "card" });

  test("a canvas opens with the card of the passage selected and in view", async () => {
    const opened: unknown[] = [];
    const card = {};
    const canvas = { nodes: new Map([["card", card]]), selectOnly: vi.fn(), zoomToSelection: vi.fn() };

    expect(await openHit(appWith("a.canvas", { canvas }, opened), "a.canvas", ofCard, "tab")).toBe(true);

    expect(opened).toEqual([{ path: "a.canvas", where: "tab", state: { active: true } }]);
    expect(canvas.selectOnly).toHaveBeenCalledWith(card);
    expect(canvas.zoomToSelection).toHaveBeenCalledOnce();
  });

  test.each([
    ["no canvas in the view", {}],
    ["no nodes", { canvas: {} }],
    ["nodes of another shape", { canvas: { nodes: {} } }],
    ["no such card", { canvas: { nodes: new Map(), selectOnly: () => { throw new Error("asked"); } } }],
    ["nothing to select with", { canvas: { nodes: new Map([["card", {}]]) } }],
  ])("a canvas opens where Obsidian has %s", async (_, view) => {
    expect(await openHit(appWith("a.canvas", view), "a.canvas", ofCard, false)).toBe(true);
  });

  test("a canvas stays open where selecting fails", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const view = { canvas: { nodes: new Map([["card", {}]]), selectOnly: () => { throw new TypeError("changed"); } } };

    expect(await openHit(appWith("a.canvas", view), "a.canvas", ofCard, false)).toBe(true);
    expect(warn).toHaveBeenCalledOnce();
  });

  test("a PDF file opens at the page, and at its start without one", async () => {
    const opened: unknown[] = [];
    await openHit(appWith("a.pdf", {}, opened), "a.pdf", passage({ anchor: "page=12" }), false);
    await openHit(appWith("a.pdf", {}, opened), "a.pdf", null, false);

    expect(opened).toMatchObject([{ state: { active: true, eState: { subpath: "#page=12" } } }, { state: { active: true } }]);
  });

  test("only a PDF file has a place that a link can lead to", () => {
    expect(documentSubpath("a.pdf", passage({ anchor: "page=3" }))).toBe("#page=3");
    expect(documentSubpath("a.canvas", passage({ anchor: "page=3" }))).toBe("");
    expect(documentSubpath("a.pdf", null)).toBe("");
  });
});
