import { expect, test } from "vitest";
import { kindOf, pageOf, withoutSuffix } from "../../plugin/document-kind";

test("the kind follows from the extension, in any case", () => {
  expect(["a.md", "Work/B.CANVAS", "c.Pdf", "folder", "a.canvas/b", "pdf"].map(kindOf)).toEqual(["note", "canvas", "pdf", null, null, null]);
});

test("a name loses one extension", () => {
  expect(["a.md", "Board.canvas", "Paper.PDF", "a.pdf.md", "v1.2"].map(withoutSuffix)).toEqual(["a", "Board", "Paper", "a.pdf", "v1.2"]);
});

test("only the anchor of a PDF file is a page", () => {
  expect(["page=12", "f00d", "page=x", "", null].map(pageOf)).toEqual(["12", null, null, null, null]);
});
