import { expect, test } from "vitest";
import { tellable } from "../../../plugin/vault/tellable";

const HALF = "half\ud83d.md";

test("what the wire can carry stays as it is", () => {
  const change = { kind: "renamed", path: "b.md", oldPath: "a 😀.md" } as const;

  expect(tellable(change)).toBe(change);
});

test("a path counts in characters, of which 4,096 are taken", () => {
  const fits = { kind: "modified", path: "😀".repeat(4_096) } as const;

  expect(tellable(fits)).toBe(fits);
  expect(tellable({ kind: "modified", path: "😀".repeat(4_096) + "x" })).toBeNull();
  expect(tellable({ kind: "modified", path: "x".repeat(4_097) })).toBeNull();
});

test("half a surrogate pair makes a path that cannot be told", () => {
  expect(tellable({ kind: "deleted", path: HALF })).toBeNull();
});

test("of a rename the end that can be told is told", () => {
  expect(tellable({ kind: "renamed", path: "b.md", oldPath: HALF })).toEqual({ kind: "created", path: "b.md" });
  expect(tellable({ kind: "renamed", path: HALF, oldPath: "a.md" })).toEqual({ kind: "deleted", path: "a.md" });
  expect(tellable({ kind: "renamed", path: HALF, oldPath: HALF })).toBeNull();
});
