import { type App, type CachedMetadata } from "obsidian";
import { expect, test } from "vitest";
import { vaultNames } from "../../../plugin/ui/vault-names";

function appWith(folders: readonly string[], ...caches: readonly (Partial<CachedMetadata> | null)[]): App {
  return {
    vault: { getAllFolders: () => folders.map((path) => ({ path })), getMarkdownFiles: () => caches.map((_, index) => index) },
    metadataCache: { getFileCache: (index: number) => caches[index] },
  } as unknown as App;
}

const tagged = (...tags: readonly string[]): Partial<CachedMetadata> => ({ tags: tags.map((tag) => ({ tag }) as never) });

test("tags come without their sign, the most used first, each once whatever its case", () => {
  expect(vaultNames(appWith([], tagged("#idea", "#howto"), tagged("#Howto", "#howto"), tagged("#howto"))).tags).toEqual(["howto", "idea"]);
});

test("folders are those of the vault", () => {
  expect(vaultNames(appWith(["Work", "Work/Old"])).folders).toEqual(["Work", "Work/Old"]);
});

test("properties have names and the values that can be picked", () => {
  const { properties, valuesOf } = vaultNames(
    appWith([], { frontmatter: { Status: "done", rating: 5, nested: { a: 1 } } }, { frontmatter: { status: ["open", "done", ""] } }, { frontmatter: { status: "x".repeat(61) } }),
  );

  expect(properties).toEqual(["Status", "nested", "nested.a", "rating"]);
  expect(valuesOf("status")).toEqual(["done", "open"]);
  expect(valuesOf("rating")).toEqual(["5"]);
  expect([valuesOf("nested"), valuesOf("nothing")]).toEqual([[], []]);
});

test("what is nested is named by its path, also in a list", () => {
  const people = [{ name: "Ann", born: 1980 }, { name: "Bob" }, "x"];
  const { properties, valuesOf } = vaultNames(appWith([], { frontmatter: { a: { b: { c: "2026-01-05" } }, people } }));

  expect([...properties].sort()).toEqual(["a", "a.b", "a.b.c", "people", "people.born", "people.name"]);
  expect(valuesOf("A.B.C")).toEqual(["2026-01-05"]);
  expect(valuesOf("people.name")).toEqual(["Ann", "Bob"]);
});

test("a note that Obsidian has not read yet has no names", () => {
  expect(vaultNames(appWith([], null)).tags).toEqual([]);
});
