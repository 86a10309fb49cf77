import { beforeEach, expect, test } from "vitest";
import { NoteSearch } from "../../../plugin/search/note-search";
import { FakeClient, type ManualClock, hit, manualClock, passage, searchResult, settled } from "../builders";

let client: FakeClient;
let clock: ManualClock;
let search: NoteSearch;

beforeEach(() => {
  client = new FakeClient();
  clock = manualClock();
  search = new NoteSearch(client, clock, () => "Glue.md", () => "hybrid");
});

const at = (matchStart: number): ReturnType<typeof passage> => passage({ matchStart, matchEnd: matchStart + 3 });

async function ask(query: string, ...offsets: readonly number[]): Promise<void> {
  search.setQuery(query);
  await clock.advance(100);
  client.last.answer(searchResult(hit("Glue.md", { passages: offsets.map(at) })));
  await settled();
}

const place = (): number | null => (search.state.current === null ? null : (search.state.passages[search.state.current]?.matchStart ?? null));

test("only the note is searched, and all of its passages are asked for", async () => {
  await ask("steam", 1);

  expect(client.last.params).toMatchObject({ query: "steam", filters: { notes: ["Glue.md"] }, expand: true, limit: 1 });
});

test("passages are in the order of the text, whichever is best", async () => {
  await ask("steam", 90, 10, 50);

  expect(search.state.passages.map(({ matchStart }) => matchStart)).toEqual([10, 50, 90]);
  expect(place()).toBe(10);
});

test("stepping goes round in both directions", async () => {
  await ask("steam", 10, 50);
  const places = [1, 1, -1].map((step) => {
    search.move(step);
    return place();
  });

  expect(places).toEqual([50, 10, 50]);
});

test("keys in a row make one request, and an older answer is dropped", async () => {
  search.setQuery("s");
  search.setQuery("st");
  await clock.advance(100);
  expect(client.asked).toHaveLength(1);
  const [first] = client.asked;
  search.setQuery("ste");
  first?.answer(searchResult(hit("Glue.md", { passages: [at(1)] })));
  await settled();

  expect(search.state).toMatchObject({ query: "ste", passages: [], isAsking: true });
});

test("after a change of the note the place stays as near as can be", async () => {
  await ask("steam", 10, 50, 90);
  search.move(1);
  const { visit } = search.state;
  search.refresh();
  await clock.advance(500);
  client.last.answer(searchResult(hit("Glue.md", { passages: [at(10), at(53), at(93)] })));
  await settled();

  expect(place()).toBe(53);
  expect(search.state.visit).toBe(visit); // nobody asked to go there
});

test("an empty box has no passages, and nothing to step through", async () => {
  await ask("steam", 10);
  search.setQuery("  ");
  search.move(1);
  search.refresh();
  await clock.advance(1_000);

  expect(search.state).toMatchObject({ query: "", passages: [], current: null });
  expect(client.asked).toHaveLength(1);
});

test("a failure is told", async () => {
  search.setQuery("steam");
  await clock.advance(100);
  client.last.fail({ kind: "timed-out", afterMs: 1 });
  await settled();

  expect(search.state).toMatchObject({ failure: { kind: "timed-out" }, passages: [] });
});
