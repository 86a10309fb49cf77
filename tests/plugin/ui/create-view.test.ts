// @vitest-environment jsdom
import "./dom";
import { expect, test } from "vitest";
import { CreateView } from "../../../plugin/ui/create-view";
import { one } from "./dom";

test("a name is shown as text, whatever it holds", () => {
  const view = new CreateView();
  view.show({ kind: "create", key: "create", name: "<img src=x>" });

  expect(one(view.el, ".quarry-create-text").textContent).toBe("Create “<img src=x>”");
  expect(view.el.querySelector("img")).toBeNull();
  expect(view.options.map((el) => el.getAttribute("role"))).toEqual(["option"]);
});
