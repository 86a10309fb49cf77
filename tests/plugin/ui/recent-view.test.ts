// @vitest-environment jsdom
import "./dom";
import { expect, test } from "vitest";
import { RecentView } from "../../../plugin/ui/recent-view";

test("a query is an option, as text", () => {
  const view = new RecentView();
  view.show({ kind: "recent", key: "recent 1", query: "<b>gateway</b>" });

  expect(view.el.textContent).toBe("<b>gateway</b>");
  expect(view.el.getAttribute("role")).toBe("option");
  expect(view.options).toEqual([view.el]);
});
