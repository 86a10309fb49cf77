// @vitest-environment jsdom
import { texts } from "./dom";
import { App } from "obsidian";
import { expect, test } from "vitest";
import { ExplainModal } from "../../../plugin/ui/explain-modal";

const app = new (App as unknown as new () => App)();

test("shows the message, the signals and the facts, as text", () => {
  const modal = new ExplainModal(app, "a.md", { message: "It ranks <b>1</b> of 3.", signals: [["Similarity in meaning", 0.75, "75%"]], facts: [["Words found", "glue"]] });
  modal.onOpen();

  expect(texts(modal.contentEl, "p, dt, dd")).toEqual(["It ranks <b>1</b> of 3.", "Similarity in meaning", "75%", "Words found", "glue"]);
  expect(modal.contentEl.querySelector("progress")?.value).toBe(0.75);
});

test("a note without a rank has no empty lists", () => {
  const modal = new ExplainModal(app, "a.md", { message: "It is excluded.", signals: [], facts: [] });
  modal.onOpen();

  expect(texts(modal.contentEl, "dl")).toEqual([]);
});
