import { expect, test } from "vitest";
import { DEFAULTS, migrate } from "../../plugin/settings";

test.each([[null], [undefined], ["text"], [[]], [{}]])("%j gives the defaults", (saved) => {
  expect(migrate(saved)).toEqual(DEFAULTS);
});

test("what was saved is kept", () => {
  const saved = { mode: "semantic", limit: 50, showsStatusBar: false, naming: "title", density: "compact", saved: ["tag:idea", "rye loaf"] };

  expect(migrate(saved)).toEqual(saved);
});

test("what cannot be used is as if it were not there", () => {
  expect(migrate({ mode: "psychic", limit: "many", showsStatusBar: 1, naming: "path", density: 3, saved: "all" })).toEqual(DEFAULTS);
});

test.each([
  [0, 10],
  [1e9, 100],
  [33.4, 33],
  [NaN, 30],
])("a limit of %d becomes %d", (limit, kept) => {
  expect(migrate({ limit }).limit).toBe(kept);
});

test("a program to run is never taken from the synced file", () => {
  const hostile = { enginePath: "/elsewhere/evil", program: "/elsewhere/evil", "quarry-engine-path": "/elsewhere/evil" };

  expect(JSON.stringify(migrate(hostile))).not.toContain("evil");
});

test("saved queries are texts, each once, and not without end", () => {
  const many = Array.from({ length: 90 }, (_, at) => `query ${at}`);

  expect(migrate({ saved: ["a", "a", 1, "  ", null] }).saved).toEqual(["a"]);
  expect(migrate({ saved: many }).saved).toHaveLength(50);
});
