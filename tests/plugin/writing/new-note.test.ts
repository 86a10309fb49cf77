import { describe, expect, test } from "vitest";
import { fileNameOf, newNoteName } from "../../../plugin/writing/new-note";

describe("the name of a new note", () => {
  test.each([
    ["rate limit retry", "rate limit retry"],
    ["  rate   limit ", "rate limit"],
    ['tag:#work folder:"My notes" rate limit', "rate limit"],
    ['"rate limit" OR backoff -jitter', "rate limit backoff"],
    ["(rate limit) [status:done] modified:7d", "rate limit"],
    ["Re: the plan", "Re the plan"],
    ["東京の天気", "東京の天気"],
    ["C++ / Rust", "C++ Rust"],
  ])("%j is called %j", (query, name) => {
    expect(newNoteName(query)).toBe(name);
  });

  test.each(["", "   ", "tag:#work", 'path:"A b" -draft', "/v\\d+/", "[status:done]", "OR", "()", "?", "-\"not this\"", "..."])("%j gives none", (query) => {
    expect(newNoteName(query)).toBeNull();
  });
});

describe("a file's name", () => {
  test("holds nothing that a file system or a link refuses", () => {
    expect(fileNameOf('a\\b/c:d*e?f"g<h>i|j#k^l[m]n\u0000o\u202Ep')).toBe("a b c d e f g h i j k l m n o p");
  });

  test("begins with no dot and ends with neither dot nor space", () => {
    expect(fileNameOf("...hidden. ")).toBe("hidden");
  });

  test("is no device of Windows", () => {
    expect(["con", "COM1", "nul.txt", "console"].map(fileNameOf)).toEqual(["_con", "_COM1", "_nul.txt", "console"]);
  });

  test("is cut between characters, to what fits", () => {
    const family = "👩‍👩‍👧‍👦";
    const name = fileNameOf(family.repeat(50)) ?? "";

    expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(240);
    expect(name).toBe(family.repeat(9));
    expect(fileNameOf("x".repeat(300))).toHaveLength(100);
  });

  test("has no half of a surrogate pair", () => {
    expect(fileNameOf("a\uD83D b")).toBe("a b");
  });
});
