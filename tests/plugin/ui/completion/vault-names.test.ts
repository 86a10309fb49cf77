import { type App, type CachedMetadata } from "obsidian";
import { expect, test } from "vitest";
import { vaultNames } from "../../../../plugin/ui/completion/vault-names";

/** A vault with a note for each of `caches`, in the folder of the same place, else at the top. */
function appWith(folders: readonly string[], ...caches: readonly (Partial<CachedMetadata> | null)[]): App {
  const files = caches.map((cache, at) => ({ cache, parent: { path: folders[at] ?? "/", isRoot: () => folders[at] === undefined } }));
  return {
    vault: { getMarkdownFiles: () => files },
    metadataCache: { getFileCache: ({ cache }: (typeof files)[number]) => cache },
  } as unknown as App;
}

const tagged = (...tags: readonly string[]): Partial<CachedMetadata> => ({ tags: tags.map((tag) => ({ tag }) as never) });

test("tags come without their sign, the most used first, each once whatever its case", () => {
  expect(vaultNames(appWith([], tagged("#idea", "#howto"), tagged("#Howto", "#howto"), tagged("#howto"))).tags).toEqual([["howto", 3], ["idea", 1]]);
});

test("a nested tag counts for the tag around it, once a note", () => {
  expect(vaultNames(appWith([], tagged("#idea/raw", "#idea/old"), tagged("#idea"))).tags).toEqual([["idea", 2], ["idea/old", 1], ["idea/raw", 1]]);
});

test("folders count the notes in them and below, whether Obsidian has read these or not", () => {
  expect(vaultNames(appWith(["Home", "Work/Old", "Work"], {}, null, {}, {})).folders).toEqual([["Work", 2], ["Home", 1], ["Work/Old", 1]]);
});

test("properties have names and the values that can be picked", () => {
  const { properties, valuesOf } = vaultNames(
    appWith([], { frontmatter: { Status: "done", rating: 5, nested: { a: 1 } } }, { frontmatter: { status: ["open", "done", ""] } }, { frontmatter: { status: "x".repeat(61) } }),
  );

  expect(properties).toEqual([["Status", 3], ["nested", 1], ["nested.a", 1], ["rating", 1]]);
  expect(valuesOf("status")).toEqual([["done", 2], ["open", 1]]);
  expect(valuesOf("rating")).toEqual([["5", 1]]);
  expect([valuesOf("nested"), valuesOf("nothing")]).toEqual([[], []]);
});

test("what is nested is named by its path, also in a list", () => {
  const people = [{ name: "Ann", born: 1980 }, { name: "Bob" }, "x"];
  const { properties, valuesOf } = vaultNames(appWith([], { frontmatter: { a: { b: { c: "2026-01-05" } }, people } }));

  expect(properties.map(([name]) => name).sort()).toEqual(["a", "a.b", "a.b.c", "people", "people.born", "people.name"]);
  expect(valuesOf("A.B.C")).toEqual([["2026-01-05", 1]]);
  expect(valuesOf("people.name")).toEqual([["Ann", 1], ["Bob", 1]]);
});

test("a note that Obsidian has not read yet has no names", () => {
  expect(vaultNames(appWith([], null)).tags).toEqual([]);
});

test("a note with a list without end, and a tag without end, spoil nothing for the others", () => {
  const list = Array.from({ length: 150_000 }, (_, at) => `value ${at}`);
  const { tags, valuesOf } = vaultNames(appWith([], { frontmatter: { list } }, tagged(`#${"a/".repeat(30_000)}a`, "#idea")));

  expect(tags.find(([tag]) => tag === "idea")).toEqual(["idea", 1]);
  expect(valuesOf("list").length).toBe(1_000);
});
