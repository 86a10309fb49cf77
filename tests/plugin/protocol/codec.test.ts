import { describe, expect, test } from "vitest";
import { decode, encodableChange, encodeNotification, encodeRequest, parseObject } from "../../../plugin/protocol/codec";

test("half an emoji becomes a replacement character, wherever it stands; a whole one stays", () => {
  const changed = encodeRequest(7, "vault/changed", { changes: [{ kind: "renamed", path: "\ude00b", oldPath: "😀" }] });
  const search = encodeRequest(8, "search", { query: "x\ud83d" });

  expect(JSON.parse(changed)).toMatchObject({ params: { changes: [{ path: "\ufffdb", oldPath: "😀" }] } });
  expect(JSON.parse(search)).toMatchObject({ params: { query: "x\ufffd" } });
});

describe("an encodable change", () => {
  const LONE_SURROGATE = "half\ud83d.md";

  test("is the change itself", () => {
    const change = { kind: "renamed", path: "b.md", oldPath: "a 😀.md" } as const;

    expect(encodableChange(change)).toBe(change);
  });

  test("has at most 4,096 characters in its path, however many code units", () => {
    const longest = { kind: "modified", path: "😀".repeat(4_096) } as const;

    expect(encodableChange(longest)).toBe(longest);
    expect(encodableChange({ kind: "modified", path: "😀".repeat(4_096) + "x" })).toBeNull();
    expect(encodableChange({ kind: "modified", path: "x".repeat(4_097) })).toBeNull();
  });

  test.each(["\ud83d", "a\ude00b", "\ude00\ud83d", LONE_SURROGATE])("has no lone surrogate in its path (%j)", (path) => {
    expect(encodableChange({ kind: "deleted", path })).toBeNull();
  });

  test("of a rename with one such path is a creation or a deletion", () => {
    expect(encodableChange({ kind: "renamed", path: "b.md", oldPath: LONE_SURROGATE })).toEqual({ kind: "created", path: "b.md" });
    expect(encodableChange({ kind: "renamed", path: LONE_SURROGATE, oldPath: "a.md" })).toEqual({ kind: "deleted", path: "a.md" });
    expect(encodableChange({ kind: "renamed", path: LONE_SURROGATE, oldPath: LONE_SURROGATE })).toBeNull();
  });
});

test("a notification has no id", () => {
  expect(JSON.parse(encodeNotification("$/cancel", { id: 7 }))).toEqual({ jsonrpc: "2.0", method: "$/cancel", params: { id: 7 } });
});

describe("decoding", () => {
  test("an error without data is still an error", () => {
    expect(decode('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}')).toMatchObject({
      kind: "error",
      id: null,
      error: { reason: "", next: "", position: null },
    });
  });

  test.each([
    ['{"jsonrpc":"2.0","method":"weather/changed","params":{}}'],
    ['{"jsonrpc":"2.0","id":"seven","result":{}}'],
  ])("a newer sidecar's %s is not an error", (frame) => {
    expect(decode(frame)).toEqual({ kind: "unknown" });
  });

  test.each([
    [""],
    ["{"],
    ["null"],
    ["[]"],
    ["7"],
    ["{}"],
    ['{"jsonrpc":"1.0","id":1,"result":1}'],
    ['{"jsonrpc":"2.0","id":1}'],
    ['{"jsonrpc":"2.0","method":"index/updated","params":[]}'],
    [`{"jsonrpc":"2.0","id":1,"result":${"[".repeat(100_000)}`],
  ])("%.40j is unreadable and throws nothing", (frame) => {
    expect(decode(frame)).toEqual({ kind: "unreadable" });
  });
});

test("only an object is an object", () => {
  expect(["[1]", '"a"', "null", "x"].map(parseObject)).toEqual([null, null, null, null]);
  expect(parseObject('{"a":1}')).toEqual({ a: 1 });
});
