import { describe, expect, test } from "vitest";
import { answerRows, emptyBoxRows, isPlace, isSelectable, type Offers, queryRows, type Row } from "../../../plugin/pane/rows";
import { answer, hit, passage, ROW_OPTIONS } from "../builders";

describe("rows", () => {
  test("a hit is followed by its further passages, each with a key of its own", () => {
    const further = new Map([["a.md", { kind: "unfolded", passages: [passage({ start: 100 }), passage({ start: 200 })] } as const]]);
    const rows = answerRows(answer({ hits: [hit("a.md", { furtherPassages: 2 }), hit("b.md")] }), { ...ROW_OPTIONS, further });

    expect(rows.map(({ kind, key }) => `${kind} ${key}`)).toEqual(["hit a.md", "passage a.md#100", "passage a.md#200", "hit b.md"]);
  });

  test("a hit without a passage is a place all the same, a query is none", () => {
    const [listed] = answerRows(answer({ hits: [hit("a.md", { passages: [] })] }), ROW_OPTIONS);
    const [, recent] = queryRows(["gateway"], []);

    expect([isPlace(listed ?? null), isPlace(recent ?? null), isPlace(null)]).toEqual([true, false, false]);
  });

  const said = (rows: readonly Row[]): string[] =>
    rows.map((row) => (row.kind === "divider" ? `-- ${row.section}` : row.kind === "more" ? `more ${row.what}` : row.kind === "hit" ? `${row.key}${row.isWeak ? " weak" : ""}` : row.key));
  const weak = (path: string): ReturnType<typeof hit> => hit(path, { matchedBy: "meaning", confidence: 0.03 });

  describe("weak hits", () => {
    test("at the end stand below a divider, five of them, and none below what contains the only word", () => {
      const hits = [hit("a.md"), ...["b", "c", "d", "e", "f", "g", "h"].map((name) => weak(`${name}.md`))];

      expect(said(answerRows(answer({ query: "hide glue", hits }), ROW_OPTIONS))).toEqual(["a.md", "-- nearest", "b.md weak", "c.md weak", "d.md weak", "e.md weak", "f.md weak"]);
      expect(said(answerRows(answer({ query: "glue", hits }), ROW_OPTIONS))).toEqual(["a.md"]);
    });

    test("between others stay where they rank", () => {
      expect(said(answerRows(answer({ hits: [weak("a.md"), hit("b.md")] }), ROW_OPTIONS))).toEqual(["a.md", "b.md"]);
    });

    test("are all there is where no note contains the words; the first is not dimmed", () => {
      expect(said(answerRows(answer({ hits: [hit("a.md"), hit("b.md")], weakness: "no-words" }), ROW_OPTIONS))).toEqual(["-- nearest", "a.md", "b.md weak"]);
    });

    test("ten guesses are enough, and none is dimmed", () => {
      const hits = Array.from({ length: 12 }, (_, at) => hit(`${at}.md`));

      expect(said(answerRows(answer({ hits, weakness: "unlikely", reachable: 40 }), ROW_OPTIONS))).toEqual(hits.slice(0, 10).map(({ path }) => path));
    });

    test("are no group in a search by words or by meaning alone", () => {
      expect(said(answerRows(answer({ hits: [hit("a.md"), weak("b.md")], mode: "semantic" }), ROW_OPTIONS))).toEqual(["a.md", "b.md"]);
    });
  });

  describe("a word says why a row is there only where that tells something", () => {
    const reasons = (fields: Parameters<typeof answer>[0]): unknown[] => answerRows(answer(fields), ROW_OPTIONS).map((row) => (row.kind === "hit" ? row.reason : null));
    const unmarked = [passage({ marks: [] })];

    test("by meaning, or by its title alone", () => {
      const hits = [
        hit("words.md"),
        hit("meaning.md", { matchedBy: "meaning" }),
        hit("title.md", { matchedBy: "words", titleMarks: [{ start: 0, end: 5, kind: "word" }], passages: unmarked }),
      ];

      expect(reasons({ hits })).toEqual([null, "meaning", "title"]);
    });

    test("not where every row is found by meaning, or by filters alone", () => {
      expect(reasons({ hits: [hit("a.md", { matchedBy: "meaning" })], mode: "semantic" })).toEqual([null]);
      expect(reasons({ hits: [hit("a.md", { matchedBy: null })] })).toEqual([null]);
    });
  });

  test("a row names the one word that it lacks of a few, and never of a question", () => {
    const hits = [hit("a.md", { missingWords: ["zebra"] }), hit("b.md", { missingWords: ["zebra", "crossing"] }), hit("c.md", { matchedBy: "meaning", missingWords: ["zebra"] })];
    const missing = (query: string, isQuestion = false): unknown => answerRows(answer({ query, hits, isQuestion }), ROW_OPTIONS).map((row) => (row.kind === "hit" ? row.missing : null));

    expect(missing("zebra crossing")).toEqual([["zebra"], [], []]);
    expect(missing("which zebra crosses", true)).toEqual([[], [], []]);
    expect(missing("old striped zebra crossing")).toEqual([[], [], []]);
    expect(missing("zebra-crossing")).toEqual([[], [], []]);
  });

  describe("the end of the list", () => {
    test("leads to more where there are more", () => {
      expect(said(answerRows(answer({ hits: [hit("a.md")], reachable: 40 }), ROW_OPTIONS))).toEqual(["a.md", "more hits"]);
    });

    test("says where more notes contain the words than are ranked", () => {
      expect(said(answerRows(answer({ hits: [hit("a.md")], total: 400, reachable: 1 }), ROW_OPTIONS))).toEqual(["a.md", "-- end"]);
    });
  });

  test("saved queries stand before the recent ones, each once", () => {
    expect(said(queryRows(["a", "b"], ["b"]))).toEqual(["-- saved", "saved b", "-- recent", "recent a"]);
    expect(queryRows([], [])).toEqual([]);
  });

  test("related notes say how they stand to the note; those that merely mention it stand below a divider", () => {
    const related = answer({ hits: [hit("Steam.md", { matchedBy: null }), hit("Diary.md")], relations: new Map([["Steam.md", "linked"], ["Diary.md", "mention"]]), mentionsFrom: 1 });
    const rows = answerRows(related, ROW_OPTIONS);

    expect(rows.map(({ key }) => key)).toEqual(["Steam.md", "divider mentions", "Diary.md"]);
    expect(rows.map((row) => (row.kind === "hit" ? row.reason : null))).toEqual(["linked", null, "mention"]);
  });

  describe("the sentence that answers", () => {
    const extract = { path: "b.md", text: "Six minutes.", headingPath: ["Eggs"], line: 4, matchStart: 40, matchEnd: 52, anchor: null, confidence: 0.9 };

    test("stands above the hits, and leads to its place in the note", () => {
      const [row, ...hits] = answerRows(answer({ hits: [hit("a.md"), hit("b.md")], extract }), ROW_OPTIONS);

      expect(row).toMatchObject({ kind: "extract", hit: { path: "b.md" }, passage: { snippet: "Six minutes.", matchStart: 40, matchEnd: 52, line: 4 } });
      expect(isPlace(row ?? null)).toBe(true);
      expect(said(hits)).toEqual(["a.md", "b.md"]);
    });

    test("has five rows below it, until more are wanted", () => {
      const hits = Array.from({ length: 8 }, (_, at) => hit(`${at}.md`));
      const found = answer({ query: "how long to boil eggs", hits, extract: { ...extract, path: "0.md" } });

      expect(said(answerRows(found, ROW_OPTIONS))).toEqual(["extract", "0.md", "1.md", "2.md", "3.md", "4.md", "more rest"]);
      expect(said(answerRows(found, { ...ROW_OPTIONS, showsRest: true }))).toHaveLength(9);
    });

    test("of a note that is not among the hits is left out", () => {
      expect(said(answerRows(answer({ hits: [hit("a.md")], extract }), ROW_OPTIONS))).toEqual(["a.md"]);
    });
  });

  test("a passage is shown at length as long as it is the same one", () => {
    const wide = passage({ snippet: "long", start: 40 });
    const contexts = new Map([["a.md", wide], ["b.md", wide], ["b.md#40", wide]]);
    const further = new Map([["b.md", { kind: "unfolded", passages: [passage({ start: 40 })] } as const]]);
    const rows = answerRows(answer({ hits: [hit("a.md", { passages: [passage({ start: 40 })] }), hit("b.md", { furtherPassages: 1 })] }), { ...ROW_OPTIONS, contexts, further });

    expect(rows.map((row) => (row.kind === "hit" || row.kind === "passage" ? row.context : null))).toEqual([wide, null, wide]);
    expect(rows.map((row) => (row.kind === "hit" ? row.furtherContexts : null))).toEqual([[], [wide], null]);
  });
});

describe("empty box", () => {
  const NOTHING: Offers = { history: [], saved: [], examples: [], related: null, notes: null };
  const RELATED = { name: "Glue", answer: answer({ query: "Glue.md", hits: ["a", "b", "c", "d", "e", "f", "g"].map((name) => hit(`${name}.md`, { matchedBy: null })), mentionsFrom: 6 }) };
  const keys = (offers: Partial<Offers>): string[] => emptyBoxRows({ ...NOTHING, ...offers }, ROW_OPTIONS).map(({ key }) => key);

  test("saved searches stand first, then recent ones, examples and related notes", () => {
    expect(keys({ history: ["keel"], saved: ["glue"], examples: ["What do I know about oil?"], related: RELATED })).toEqual([
      ...["divider saved", "saved glue", "divider recent", "recent keel", "divider examples", "example What do I know about oil?"],
      ...["divider related", "a.md", "b.md", "c.md", "d.md", "e.md", "more related"],
    ]);
  });

  test("who has searched three times is offered no examples, nor is a query that was searched for", () => {
    expect(keys({ history: ["a", "b", "c"], examples: ["What is oil?"] })).not.toContain("example What is oil?");
    expect(keys({ history: ["What is oil?"], examples: ["What is oil?", "What is glue?"] })).toEqual(["divider recent", "recent What is oil?", "divider examples", "example What is glue?"]);
  });

  test("related notes wait until it is known which examples stand above them", () => {
    expect(keys({ examples: null, related: RELATED })).toEqual([]);
    expect(keys({ examples: [], related: RELATED })[0]).toBe("divider related");
    expect(keys({ examples: null, history: ["a", "b", "c"], related: RELATED })).toContain("more related");
  });

  test("a note without related ones has no heading", () => {
    expect(keys({ related: { name: "Alone", answer: answer({ hits: [] }) } })).toEqual([]);
  });

  test("all rows but headings can be selected", () => {
    const rows = emptyBoxRows({ ...NOTHING, examples: ["What is oil?"], related: RELATED }, ROW_OPTIONS);

    expect(rows.filter((row) => !isSelectable(row)).map(({ kind }) => kind)).toEqual(["divider", "divider"]);
  });
});
