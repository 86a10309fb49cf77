// @vitest-environment jsdom
import { one } from "./dom";
import { expect, test } from "vitest";
import { RecentView } from "../../../plugin/ui/recent-view";

test("a query is an option, as text", () => {
  const view = new RecentView({ toggleSaved: () => undefined, forget: () => undefined });
  view.show({ kind: "recent", key: "recent 1", query: "<b>gateway</b>", isSaved: false });

  expect(view.el.textContent).toBe("<b>gateway</b>");
  expect(view.el.getAttribute("role")).toBe("option");
  expect(view.options).toEqual([view.el]);
});

test("its star saves it, its cross forgets it, and neither opens it", () => {
  const did: string[] = [];
  const view = new RecentView({ toggleSaved: (query) => did.push(`star ${query}`), forget: (query) => did.push(`forget ${query}`) });
  view.el.addEventListener("click", () => did.push("open"));
  view.show({ kind: "recent", key: "recent 1", query: "gateway", isSaved: false });
  one(view.el, '[data-icon="star"]').click();
  one(view.el, '[data-icon="x"]').click();

  expect(did).toEqual(["star gateway", "forget gateway"]);
});

test("a saved query cannot be forgotten by a cross beside its star", () => {
  const view = new RecentView({ toggleSaved: () => undefined, forget: () => undefined });
  view.show({ kind: "recent", key: "saved 1", query: "gateway", isSaved: true });

  expect(one(view.el, '[data-icon="x"]').hasClass("is-hidden")).toBe(true);
});
