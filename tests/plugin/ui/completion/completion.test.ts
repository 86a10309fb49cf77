import { describe, expect, test } from "vitest";
import { allOperators, type Completion, completionAt, type VaultNames } from "../../../../plugin/ui/completion/completion";
import { OPERATORS } from "../../../../plugin/i18n/operators";

const names: VaultNames = {
  folders: [["Work", 7], ["Work/My notes", 1], ["Home", 1]],
  tags: [["howto", 1200], ["idea", 2], ["idea/raw", 1]],
  properties: [["status", 3], ["due date", 1], ["a:b", 1]],
  valuesOf: (property) => (property === "status" ? [["done", 2], ["in progress", 1], ["yes OR no", 1]] : []),
};
const at = (before: string): Completion | null => completionAt(before, () => names, 2026);
const labels = (before: string): readonly string[] => at(before)?.suggestions.map(({ label }) => label) ?? [];

/** The box after the first suggestion was taken. */
function taken(before: string): string {
  const completion = at(before);
  const [first] = completion?.suggestions ?? [];
  return completion && first ? before.slice(0, completion.from) + first.text + "|" + first.closing : before;
}

describe("the name of an operator", () => {
  test("is offered once two of its letters stand there", () => {
    expect(labels("t")).toEqual([]);
    expect(labels("ta")).toEqual(["tag:", "task:", "task-todo:", "task-done:"]);
    expect(labels("TASK-D")).toEqual(["task-done:"]);
    expect(taken("glue -fo")).toBe("glue -folder:|");
  });

  test("may be a mere word, so it is not certain", () => {
    expect(at("task")?.isCertain).toBe(false);
    expect(at("task-todo")?.isCertain).toBe(false);
    expect(at("tag:")?.isCertain).toBe(true);
  });

  test("is not offered within a word, a phrase or a path", () => {
    expect(["meta", '"the ta', "a/ta", "x:ta", "glue "].map(labels)).toEqual([[], [], [], [], []]);
  });

  test("is not offered behind a word, which it continues", () => {
    expect(["what is my blood type", "domain severity status", "glue ta", "(glue) pa"].map(labels)).toEqual([[], [], [], []]);
    expect(["(ta", "glue -ta"].map((before) => labels(before)[0])).toEqual(["tag:", "tag:"]);
  });

  test("is that of a property where notes have one, and else not", () => {
    expect(labels("sta")).toEqual(["[status]"]);
    expect(taken("sta")).toBe("[status:|");
    expect(labels("domai")).toEqual([]);
  });
});

describe("a value", () => {
  test("says how many notes have it", () => {
    const hints = (before: string): readonly string[] => at(before)?.suggestions.map(({ hint }) => hint) ?? [];

    expect(hints("tag:")).toEqual(["1,200 notes", "2 notes", "1 note"]);
    expect([hints("folder:")[0], hints("status:")[0], hints("[")[0]]).toEqual(["7 notes", "2 notes", "3 notes"]);
  });

  test("of a tag comes from the vault, with the sign and without", () => {
    expect(labels("tag:")).toEqual(["howto", "idea", "idea/raw"]);
    expect(taken("tag:how")).toBe("tag:howto |");
    expect(taken("tag:#raw")).toBe("tag:idea/raw |");
    expect(taken("glue #how")).toBe("glue #howto |");
  });

  test("with a space in it is put in quotes, also where the quote is typed already", () => {
    expect(taken("folder:my")).toBe('folder:"Work/My notes" |');
    expect(taken('folder:"work/my no')).toBe('folder:"Work/My notes" |');
  });

  test("begins with what was typed before it only holds it", () => {
    expect(labels("folder:o")).toEqual(["Work", "Work/My notes", "Home"]);
    expect(labels("folder:ho")).toEqual(["Home"]);
  });

  test("that is whole has nothing to be added", () => {
    expect(at("tag:idea")).toBeNull();
    expect(at("created:today")).toBeNull();
  });

  test("of a time is one that the engine reads, spaces and all", () => {
    expect(labels("created:")).toEqual(expect.arrayContaining(["today", "7d", "last week", "2026", "2025..2026"]));
    expect(labels("modified:last ")).toEqual(["last week", "last month"]);
    expect(taken("modified:last w")).toBe("modified:last week |");
    expect(labels("created:>")).toEqual([">=2026-01-01"]);
  });

  test("of an operator that takes anything is the user's", () => {
    expect(["path:Wo", "file:a", "content:x", "task:ta"].map(labels)).toEqual([[], [], [], []]);
  });
});

describe("a property", () => {
  test("is offered by name, then by value, and closed", () => {
    expect(labels("glue [")).toEqual(["status", "due date", "a:b"]);
    expect(taken("[st")).toBe("[status:|");
    expect(taken("[status:in")).toBe("[status:in progress] |");
  });

  test("with its own operator is offered the same values", () => {
    expect(taken("status:in")).toBe('status:"in progress" |');
  });

  test("whose text would be read as the language is put in quotes", () => {
    expect(taken("[a:")).toBe("[a:");
    expect(taken("[a")).toContain("[");
    expect(taken("[status:yes")).toBe('[status:"yes OR no"] |');
  });
});

test("the vault is not counted where nothing of it is offered", () => {
  const counted = (): never => {
    throw new Error("counted");
  };

  expect(["glue ta", "created:", "path:x"].map((before) => completionAt(before, counted, 2026)?.suggestions.length ?? 0)).toEqual([0, 12, 0]);
});

test("who asks is shown all of the language, each with a hint", () => {
  const { suggestions, isCertain } = allOperators("glue ");

  expect(isCertain).toBe(true);
  expect(suggestions.map(({ label }) => label)).toEqual(expect.arrayContaining(["file:", "line:(…)", "block:(…)", "match-case:", "task-done:", "[property]", "OR", "-…", '"…"']));
  expect(new Set(suggestions.map(({ text }) => text)).size).toBe(OPERATORS.length);
  expect(suggestions.flatMap(({ text, closing }) => (closing === "" ? [] : [text + closing]))).toEqual(['""', "//", "()"]);
  for (const { hint } of suggestions) expect(hint).toMatch(/^[A-Z].*[^.]$/);
});
