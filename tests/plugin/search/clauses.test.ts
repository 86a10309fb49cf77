import { expect, test } from "vitest";
import { type Clause } from "../../../plugin/protocol/messages";
import { chipsOf } from "../../../plugin/search/clauses";

const clause = (fields: Partial<Clause>): Clause => ({ kind: "tag", start: 0, end: 0, name: "", value: "", negated: false, removable: true, ...fields });

test("a chip says its part as it was typed, and cuts exactly that out", () => {
  const query = "🍵 #idea folder:Work tea";

  expect(chipsOf(query, [clause({ start: 3, end: 9 }), clause({ kind: "folder", start: 9, end: 21 })])).toEqual([
    { text: "#idea", rest: "🍵 folder:Work tea" },
    { text: "folder:Work", rest: "🍵 #idea tea" },
  ]);
});

test("a part of alternatives cannot be taken out", () => {
  expect(chipsOf("a OR #b", [clause({ start: 5, end: 7, removable: false })])).toEqual([{ text: "#b", rest: null }]);
});
