import { expect, test } from "vitest";
import { consentIn } from "../../../plugin/sidecar/consent";

function consentOver(stored: unknown): { consent: ReturnType<typeof consentIn>; stored: () => unknown } {
  let value = stored;
  return { consent: consentIn({ read: () => value, write: (answers) => { value = answers; } }), stored: () => value };
}

test("nobody was asked about a path at first; an answer concerns that path alone", () => {
  const { consent } = consentOver(null);
  consent.give("/a/quarry");
  consent.decline("/b/quarry");

  expect(["/a/quarry", "/b/quarry", "/c/quarry"].map((path) => [consent.isGiven(path), consent.isDeclined(path)])).toEqual([[true, false], [false, true], [false, false]]);
});

test("the last answer counts", () => {
  const { consent, stored } = consentOver({ "/a/quarry": false });
  consent.give("/a/quarry");

  expect(stored()).toEqual({ "/a/quarry": true });
});

test.each([["text"], [7], [["/a/quarry"]], [{ "/a/quarry": "yes" }]])("what storage holds otherwise is no consent: %j", (stored) => {
  const { consent } = consentOver(stored);

  expect([consent.isGiven("/a/quarry"), consent.isGiven("0"), consent.isGiven("constructor")]).toEqual([false, false, false]);
});
