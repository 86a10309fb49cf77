import { type Command } from "obsidian";
import { beforeEach, expect, test } from "vitest";
import { SavedCommands } from "../../plugin/saved-commands";

let commands: Map<string, Command>;
let opened: string[];
let saved: SavedCommands;

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
  saved = new SavedCommands(plugin, (query) => opened.push(query));
});

test("each saved search is a command that opens it", () => {
  saved.update(["glue", "tag:#boat keel"]);
  commands.get("saved:tag:#boat keel")?.callback?.();

  expect([...commands.values()].map(({ name }) => name)).toEqual(["Search: glue", "Search: tag:#boat keel"]);
  expect(opened).toEqual(["tag:#boat keel"]);
});

test("a star that is taken back takes the command with it, and the others stay as they are", () => {
  saved.update(["glue", "keel"]);
  const before = commands.get("saved:glue");
  saved.update(["oil", "glue"]);

  expect([...commands.keys()]).toEqual(["saved:glue", "saved:oil"]);
  expect(commands.get("saved:glue")).toBe(before);
});

test("a long query is cut in the name, never in what is searched", () => {
  const query = "x".repeat(4_000);
  saved.update([query]);
  const [command] = commands.values();
  command?.callback?.();

  expect(command?.name).toBe(`Search: ${"x".repeat(80)}…`);
  expect(opened).toEqual([query]);
});
