import { type Command, type Editor, type Plugin } from "obsidian";
import { describe, beforeEach, expect, test } from "vitest";
import { addCommands, queryOf, savedCommands } from "../../plugin/commands";

describe("commands", () => {
  let commands: Map<string, Command>;
  let called: string[];
  let isLive: boolean;
  let canExplain: boolean;

  beforeEach(() => {
    commands = new Map();
    called = [];
    isLive = true;
    canExplain = true;
    const plugin = { addCommand: (command: Command) => commands.set(command.id, command) };
    const call = (name: string) => (): void => {
      called.push(name);
    };
    addCommands(plugin as unknown as Plugin, {
      openSearch: (query) => called.push(`open ${query ?? ""}`),
      explainNote: () => (canExplain ? call("explain") : null),
      copySearchLink: () => (canExplain ? call("link") : null),
      capture: call("capture"),
      inspector: { confirmRebuild: call("rebuild"), open: async () => { call("inspector")(); return Promise.resolve(); }, why: call("why") },
      pauseOrResume: call("pause"),
      restart: call("restart"),
      copyReport: call("report"),
      isLive: () => isLive,
    });
  });

  const editorWith = (selection: string): Editor => ({ getSelection: () => selection }) as unknown as Editor;

  test("the ids stay as they are, because people bind keys to them", () => {
    expect([...commands.keys()]).toEqual(["open-search", "search-selection", "explain-note", "copy-search-link", "capture", "open-inspector", "why-not-found", "rebuild-index", "pause-or-resume", "restart-engine", "copy-diagnostics"]);
  });

  test("no command takes a key by itself", () => {
    expect([...commands.values()].filter(({ hotkeys }) => hotkeys !== undefined)).toEqual([]);
  });

  test("what needs the engine is offered only while it is live", () => {
    const offered = (): unknown[] => ["rebuild-index", "pause-or-resume", "explain-note", "capture"].map((id) => commands.get(id)?.checkCallback?.(true));
    const whileLive = offered();
    isLive = false;

    expect(whileLive).toEqual([true, true, true, true]);
    expect(offered()).toEqual([false, false, false, false]);
    expect(called).toEqual([]);
  });

  test.each([["explain-note", "explain"], ["copy-search-link", "link"]])("%s is offered only where there is something to do it with", (id, done) => {
    const command = commands.get(id);
    command?.checkCallback?.(false);
    canExplain = false;

    expect(command?.checkCallback?.(true)).toBe(false);
    expect(called).toEqual([done]);
  });

  test("selected text is searched for", () => {
    const command = commands.get("search-selection");
    const offered = command?.editorCheckCallback?.(true, editorWith("  "), {} as never);
    command?.editorCheckCallback?.(false, editorWith("rate\n limit "), {} as never);

    expect(offered).toBe(false);
    expect(called).toEqual(["open rate limit"]);
  });

  test("a long selection becomes a query of bearable length, not cut through an emoji", () => {
    expect(queryOf("x" + "😀".repeat(1_000))).toBe("x" + "😀".repeat(499));
  });
});

describe("saved commands", () => {
  let commands: Map<string, Command>;
  let opened: string[];
  let update: ReturnType<typeof savedCommands>;

  beforeEach(() => {
    commands = new Map();
    opened = [];
    const plugin = {
      addCommand: (command: Command) => {
        if (commands.has(command.id)) throw new Error(`${command.id} is there already`);
        commands.set(command.id, command);
        return command;
      },
      removeCommand: (id: string) => void commands.delete(id),
    };
    update = savedCommands(plugin, (query) => opened.push(query));
  });

  test("each saved search is a command that opens it", () => {
    update(["glue", "tag:#boat keel"]);
    commands.get("saved:tag:#boat keel")?.callback?.();

    expect([...commands.values()].map(({ name }) => name)).toEqual(["Search: glue", "Search: tag:#boat keel"]);
    expect(opened).toEqual(["tag:#boat keel"]);
  });

  test("a star that is taken back takes the command with it, and the others stay as they are", () => {
    update(["glue", "keel"]);
    const before = commands.get("saved:glue");
    update(["oil", "glue"]);

    expect([...commands.keys()]).toEqual(["saved:glue", "saved:oil"]);
    expect(commands.get("saved:glue")).toBe(before);
  });

  test("a long query is cut in the name, never in what is searched", () => {
    const query = "x".repeat(4_000);
    update([query]);
    const [command] = commands.values();
    command?.callback?.();

    expect(command?.name).toBe(`Search: ${"x".repeat(80)}…`);
    expect(opened).toEqual([query]);
  });
});
