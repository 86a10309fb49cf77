import { expect, test } from "vitest";
import { emptyModel } from "../../../plugin/pane/model";
import { relatedPanel, relatedToWords } from "../../../plugin/i18n/related";
import { answer, hit, indexStatus } from "../builders";

const MODEL = emptyModel("hybrid", { kind: "live", version: "0.1.0", isOurs: true }, indexStatus());

test("the line above the rows says what they are related to", () => {
  expect(relatedToWords("Glue", false)).toBe("Related to Glue");
  expect(relatedToWords("Glue", true)).toBe("Related to the selection in Glue");
});

test("without a note, without rows and after an error the view says why it is empty", () => {
  expect(relatedPanel(MODEL)?.title).toBe("No note is open");
  expect(relatedPanel({ ...MODEL, search: { kind: "results", answer: answer(), isRefresh: false } })?.title).toBe("No related notes");
  expect(relatedPanel({ ...MODEL, search: { kind: "failed", query: "a.md", failure: { kind: "timed-out", afterMs: 1 }, previous: null } })?.title).toBe("Related notes could not be loaded");
  expect(relatedPanel({ ...MODEL, engine: { kind: "starting" } })?.title).toBe("Starting the search engine");
});

test("with rows it says nothing", () => {
  expect(relatedPanel({ ...MODEL, search: { kind: "results", answer: answer({ hits: [hit("a.md")] }), isRefresh: false } })).toBeNull();
});
