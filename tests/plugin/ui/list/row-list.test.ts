// @vitest-environment jsdom
import { beforeEach, describe, expect, test } from "vitest";
import { answerRows } from "../../../../plugin/pane/rows";
import { type Hit } from "../../../../plugin/protocol/messages";
import { keepInPlace, RowList } from "../../../../plugin/ui/list/row-list";
import { answer, hit, manualClock, ROOM, ROW_OPTIONS } from "../../builders";
import { emptyBody, one, removedBy, texts } from "../dom";

describe("row list", () => {
  let el: HTMLElement;
  let list: RowList;

  beforeEach(() => {
    el = emptyBody().createDiv();
    list = new RowList(el, { clock: manualClock() });
  });

  const show = (hits: readonly Hit[], nowMs: number): void => {
    list.show(answerRows(answer({ hits }), ROW_OPTIONS), nowMs, ROOM);
  };
  const titles = (): string[] => texts(el, ".quarry-title");
  const rowOf = (title: string): Element => {
    const row = [...el.children].find((child) => child.getAttribute("aria-label") === title);
    if (!row) throw new Error(`no row ${title}`);
    return row;
  };

  describe("patching", () => {
    test("the same hits touch nothing", () => {
      const hits = [hit("a.md"), hit("b.md")];
      show(hits, 0);
      const removed = removedBy(el, () => { show(structuredClone(hits), 0); });

      expect(removed).toBe(0);
    });

    test("rows that are shown already are not even compared", () => {
      const rows = answerRows(answer({ hits: [hit("a.md")] }), ROW_OPTIONS);
      list.show(rows, 0, ROOM);
      one(el, ".quarry-title").textContent = "Touched";
      list.show(rows, 0, ROOM);

      expect(titles()).toEqual(["Touched"]);
    });

    test("a new hit in front leaves the others where they are", () => {
      show([hit("a.md"), hit("b.md")], 0);
      const before = [rowOf("a"), rowOf("b")];
      const removed = removedBy(el, () => { show([hit("new.md"), hit("a.md"), hit("b.md")], 0); });

      expect(titles()).toEqual(["new", "a", "b"]);
      expect([rowOf("a"), rowOf("b")]).toEqual(before);
      expect(removed).toBe(0);
    });
  });

  test("options are numbered for a screen reader, dividers are not", () => {
    const weak = hit("b.md", { matchedBy: "meaning", confidence: 0.01 });
    list.show(answerRows(answer({ query: "retry gateway", hits: [hit("a.md"), weak] }), ROW_OPTIONS), 0, ROOM);
    const numbers = [...el.querySelectorAll('[role="option"]')].map((option) => [option.getAttribute("aria-posinset"), option.getAttribute("aria-setsize")]);

    expect(texts(el, ".quarry-divider-text")).toEqual(["Similar in meaning"]);
    expect(numbers).toEqual([["1", "2"], ["2", "2"]]);
  });

  test("ages grow without anything else changing", () => {
    show([hit("a.md", { modifiedMs: 0 })], 0);
    const row = rowOf("a");
    list.updateAges(3_600_000);

    expect(texts(el, ".quarry-age")).toEqual(["1h"]);
    expect(rowOf("a")).toBe(row);
    expect(removedBy(el, () => { list.updateAges(3_600_000); })).toBe(0);
  });

  describe("an element that is kept in place", () => {
    let scroller: HTMLElement;
    let row: HTMLElement;
    let top: number;

    beforeEach(() => {
      scroller = emptyBody().createDiv();
      row = scroller.createDiv();
      top = 100;
      // jsdom lays nothing out, so the test says where the element is.
      row.getBoundingClientRect = () => new DOMRect(0, top, 10, 10);
      scroller.scrollTop = 40;
    });

    test("scrolls by what is inserted above it", () => {
      keepInPlace(scroller, row, () => { top += 25; });

      expect(scroller.scrollTop).toBe(65);
    });

    test("that did not move leaves the scroll position alone", () => {
      keepInPlace(scroller, row, () => undefined);

      expect(scroller.scrollTop).toBe(40);
    });

    test("scrolls nothing when there is none, or it is gone afterwards", () => {
      keepInPlace(scroller, null, () => undefined);
      keepInPlace(scroller, row, () => {
        top = 0;
        row.remove();
      });

      expect(scroller.scrollTop).toBe(40);
    });
  });
});
