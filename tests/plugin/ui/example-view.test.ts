// @vitest-environment jsdom
import "./dom";
import { expect, test } from "vitest";
import { ExampleView } from "../../../plugin/ui/example-view";

test("an example is an option, as text", () => {
  const view = new ExampleView();
  view.show({ kind: "example", key: "example 1", query: "What is <b>glue</b>?" });

  expect(view.el.textContent).toBe("What is <b>glue</b>?");
  expect(view.el.getAttribute("role")).toBe("option");
  expect(view.options).toEqual([view.el]);
});
