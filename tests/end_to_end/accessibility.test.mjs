/**
 * axe-core over everything that the plugin draws, in both themes: no violation. A new view is one line in VIEWS.
 *
 * What axe cannot compute is tried here by hand: forced colours, reduced motion, right to left, large and tall fonts.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { PICTURES, SAMPLE, startProduct, until } from "./product.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const BOARD = { "Board.md": "```quarry\nsticking key\nlimit: 3\n```\n" };
const RIGHT_TO_LEFT = {
  "עברית/שלום עולם.md": "# שלום עולם\n\nזוהי פסקה בעברית עם שלום ועם English בתוכה, כדי לראות את הכיוון.\n",
  "مرحبا.md": "# مرحبا بالعالم\n\nهذه فقرة بالعربية عن السلام وعن שלום.\n",
};

/** @typedef {import("./product.mjs").Product} Product */

/** Closes a dialog. @param {Product} product */
const escape = async (product) => product.page.keyboard.press("Escape");

/**
 * Name, what is audited, how it is opened, and how it is closed where the next one would not do that.
 *
 * @type {readonly (readonly [name: string, selector: string, open: (product: Product) => Promise<unknown>, close?: (product: Product) => Promise<unknown>])[]}
 */
const VIEWS = [
  ["results", ".quarry-pane", (product) => product.search("sticking key")],
  ["unfolded passages", ".quarry-pane", unfold],
  ["weak results", ".quarry-pane", (product) => product.search("zebra accordion quantum")],
  ["nothing found", ".quarry-pane", (product) => product.search("tag:nosuchtag")],
  ["a query that cannot be read", ".quarry-pane", (product) => product.search("/v(/")],
  ["recent searches", ".quarry-pane", (product) => product.input.fill("")],
  ["completion", ".quarry-pane", (product) => product.input.pressSequentially("tag:"), (product) => product.input.fill("")],
  ["operators", ".quarry-pane", (product) => product.pane.locator('.quarry-tool[data-action="show-operators"]').click(), escape],
  ["explanation", ".modal-content", openExplanation, escape],
  ["capture", ".modal-content", (product) => product.host.runCommand("capture"), escape],
  ["index inspector", ".quarry-inspect", opensWith("open-inspector", ".quarry-inspect-row")],
  ["related notes", ".quarry-related", opensWith("open-related", ".quarry-related .quarry-hit"), closeSideViews],
  ["key sheet", ".modal-content", (product) => product.pane.locator('[data-action="show-keys"]').click(), escape],
  ["quick search", ".quarry-quick", openQuickSearch, escape],
  ["peek", ".quarry-peek", peek, (product) => product.input.press("Escape")],
  ["live block", ".quarry-block", openLiveBlock, (product) => product.host.openNote("Howto/Fix a sticking key.md")],
  ["search in the note", ".quarry-note-search", opensWith("search-in-note", ".quarry-note-search"), escape],
  ["settings", ".vertical-tab-content", (product) => product.host.openSettings(), escape],
];

/**
 * @param {string} command
 * @param {string} shown once the view is there
 * @returns {(product: Product) => Promise<unknown>}
 */
function opensWith(command, shown) {
  return async (product) => {
    await product.host.openNote("Howto/Fix a sticking key.md");
    await product.host.runCommand(command);
    await product.page.locator(shown).first().waitFor();
  };
}

/** @param {Product} product */
async function closeSideViews(product) {
  await product.page.evaluate(() => ["quarry-related", "quarry-inspector"].forEach((type) => window.app.workspace.detachLeavesOfType(type)));
  await product.openPane();
}

/** @param {Product} product */
async function unfold(product) {
  await product.search("tuning reed");
  await product.pane.locator(".quarry-unfold:not(.is-hidden)").first().click();
  await product.pane.locator(".quarry-others .quarry-option").first().waitFor();
}

/** @param {Product} product */
async function openQuickSearch(product) {
  await product.host.runCommand("quick-search");
  await product.page.locator(".quarry-quick input").fill("sticking key");
  await product.page.locator(".quarry-quick .quarry-lit").first().waitFor();
}

/** @param {Product} product */
async function peek(product) {
  await product.search("sticking key");
  await product.press("ArrowDown", " ");
  await product.page.locator(".quarry-peek .quarry-lit").first().waitFor();
}

/** @param {Product} product */
async function openLiveBlock(product) {
  await product.host.openNote("Board.md", "preview");
  await product.page.locator(".quarry-block .quarry-title").first().waitFor();
}

/** @param {Product} product */
async function openExplanation(product) {
  const [best] = await product.search("sticking key");
  await product.host.openNote(best?.path ?? "");
  await product.host.runCommand("explain-note");
  await product.page.locator(".modal").waitFor();
}

const product = await startProduct({ from: SAMPLE, notes: { ...RIGHT_TO_LEFT, ...BOARD }, viewport: { width: 1200, height: 800 } });
await product.page.evaluate(AXE);

describe("the pane is accessible", () => {
  /**
   * What axe finds wrong below *selector*, one line each.
   *
   * @param {string} selector
   * @param {string[]} without rules that mean nothing here
   * @returns {Promise<string[]>}
   */
  const violations = (selector, without = []) =>
    product.page.evaluate(async ([within, left]) => {
      const axe = /** @type {typeof import("axe-core")} */ (Reflect.get(window, "axe"));
      // Drawn by Obsidian, and not ours to name or to colour: the cross in a search box, and its primary buttons.
      const context = { include: [within], exclude: [".search-input-clear-button", ".mod-cta"] };
      const { violations: found } = await axe.run(context, { resultTypes: ["violations"], rules: Object.fromEntries(left.map((rule) => [rule, { enabled: false }])) });
      return found.flatMap(({ id, help, nodes }) => nodes.map(({ html, any }) => `${id}: ${help}: ${html.slice(0, 160)} ${any.map(({ message }) => message).join(" ")}`));
    }, /** @type {const} */ ([selector, without]));

  for (const theme of /** @type {const} */ (["light", "dark"])) {
    for (const [name, selector, open, close] of VIEWS) {
      test(`${name}, ${theme}`, async () => {
        await product.host.theme(theme);
        await open(product);
        await product.page.locator(selector).first().waitFor();
        const found = await violations(selector);
        await close?.(product);

        assert.deepEqual(found, []);
      });
    }
  }

  test("a violation would be found", async () => {
    await product.page.evaluate(() => document.querySelector(".quarry-pane")?.createEl("button", { cls: "nameless" }));
    const found = await violations(".quarry-pane");
    await product.page.evaluate(() => document.querySelector(".nameless")?.remove());

    assert.match(found.join("\n"), /button-name/);
  });

  test("rows say how many there are and which each is, and the list is no tab stop", async () => {
    await product.search("sticking key");
    const [positions, sizes, tabStops] = await product.pane.evaluate((pane) => {
      const options = [...pane.querySelectorAll('[role="option"]')];
      const of = (/** @type {string} */ name) => options.map((option) => Number(option.getAttribute(name)));
      return [of("aria-posinset"), of("aria-setsize"), pane.querySelectorAll('[role="listbox"][tabindex="0"], [role="option"][tabindex="0"]').length];
    });

    assert.deepEqual(positions, positions.map((_, at) => at + 1));
    assert.ok(positions.length > 3 && sizes.every((size) => size === positions.length));
    assert.equal(tabStops, 0);
  });

  test("every control of the pane is reached by Tab, in the order in which it is seen, and shows its focus", async () => {
    await product.search("sticking key");
    await product.input.focus();
    const seen = [];
    for (let turn = 0; turn < 12; turn += 1) {
      await product.page.keyboard.press("Tab");
      const stop = await product.page.evaluate(() => {
        const el = document.activeElement;
        if (!(el instanceof HTMLElement) || !el.closest(".quarry-pane")) return null;
        const { boxShadow, outlineStyle } = getComputedStyle(el);
        return { name: el.getAttribute("aria-label") ?? el.textContent, top: el.getBoundingClientRect().top, isSeen: boxShadow !== "none" || outlineStyle !== "none" };
      });
      if (!stop) break;
      seen.push(stop);
    }

    assert.ok(seen.length >= 5, `only ${seen.length} stops`);
    assert.deepEqual(seen.filter(({ name, isSeen }) => !name || !isSeen), []);
    assert.deepEqual(seen.map(({ top }) => Math.round(top / 40)), seen.map(({ top }) => Math.round(top / 40)).sort((a, b) => a - b));
  });

  test("forced colours keep marks, the selection, the mode and every edge", async () => {
    await product.search("sticking key");
    await product.host.media({ forcedColors: "active" });
    const look = await product.pane.evaluate((pane) => {
      const style = (/** @type {string} */ selector) => getComputedStyle(pane.querySelector(selector) ?? document.body);
      return {
        mark: style(".quarry-snippet .search-result-file-matched-text").backgroundColor !== style(".quarry-snippet").backgroundColor,
        selected: style('[aria-selected="true"]').outlineStyle,
        mode: style('.quarry-mode[aria-pressed="true"]').outlineStyle,
        dot: style(".quarry-dot").forcedColorAdjust !== "none" ? style(".quarry-dot").borderStyle : "adjusted",
      };
    });
    await product.host.screenshot(join(PICTURES, "forced-colors.png"));
    const found = await violations(".quarry-pane", ["color-contrast"]); // the system's colours; axe reads those of the theme
    await product.host.media({ forcedColors: null });

    assert.deepEqual(look, { mark: true, selected: "solid", mode: "solid", dot: "solid" });
    assert.deepEqual(found, []);
  });

  test("who asks for less motion gets none", async () => {
    await product.host.media({ reducedMotion: "reduce" });
    const moving = await product.pane.evaluate((pane) =>
      [pane, ...pane.querySelectorAll("*")].flatMap((el) => {
        const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(el);
        const moves = transitionDuration.split(",").some((time) => parseFloat(time) > 0) || animationName !== "none" || scrollBehavior === "smooth";
        return moves && /quarry/.test(el.className.toString()) ? [el.className.toString()] : [];
      }),
    );
    await product.host.media({ reducedMotion: null });

    assert.deepEqual(moving, []);
  });

  test("right to left, the pane is its own mirror image and every text has its own direction", async () => {
    await product.host.direction("rtl");
    await product.search("שלום");
    const look = await product.pane.evaluate((pane) => {
      const box = (/** @type {string} */ selector) => pane.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
      const texts = [...pane.querySelectorAll(".quarry-title, .quarry-folder, .quarry-aside, .quarry-trail, .quarry-snippet, .quarry-remark > span, .quarry-count, .quarry-missing")];
      return {
        bar: getComputedStyle(pane.querySelector(".quarry-option.is-selected") ?? pane).boxShadow.includes("-2px 0px"),
        titleIsRightOfAge: box(".quarry-names").right > box(".quarry-age").right,
        noDirection: texts.filter((el) => !el.closest("[dir=auto]")).map((el) => el.className),
        snippets: [...new Set([...pane.querySelectorAll(".quarry-snippet")].map((el) => getComputedStyle(el).direction))],
        overflows: [...pane.querySelectorAll(".quarry-hit, .quarry-head, .quarry-foot")].filter((el) => el.scrollWidth > el.clientWidth + 1).map((el) => el.className),
      };
    });
    await product.host.screenshot(join(PICTURES, "right-to-left.png"));
    const mixed = await product.search("sticking key");
    const directions = await product.pane.evaluate((pane) => [...new Set([...pane.querySelectorAll(".quarry-snippet:not(:empty)")].map((el) => getComputedStyle(el).direction))]);
    await product.host.direction("ltr");

    assert.deepEqual({ ...look, snippets: look.snippets.includes("rtl") }, { bar: true, titleIsRightOfAge: true, noDirection: [], snippets: true, overflows: [] });
    assert.ok(mixed.length > 0);
    assert.ok(directions.includes("ltr"), "English text stays left to right");
  });

  for (const [name, variables] of /** @type {const} */ ([
    ["large", { "--font-ui-smaller": "20px", "--font-ui-small": "22px", "--font-ui-medium": "24px", "--font-text-size": "28px" }],
    ["tall", { "--font-interface": '"Noto Nastaliq Urdu", "Noto Sans Tibetan", sans-serif' }],
  ])) {
    test(`${name} fonts: no sliver of a line that is cut off, and nothing runs out of its box`, async () => {
      await product.host.cssVariables(variables);
      await product.search("sticking key");
      await product.page.waitForTimeout(300); // the rows are measured anew
      const slivers = await product.pane.evaluate((pane) => {
        const found = [];
        for (const snippet of pane.querySelectorAll(".quarry-snippet")) {
          const { bottom, height } = snippet.getBoundingClientRect();
          if (height === 0) continue;
          const line = parseFloat(getComputedStyle(snippet).lineHeight);
          if (Math.abs(height / line - Math.round(height / line)) > 0.02) found.push(`${snippet.textContent?.slice(0, 40)}: ${height} is not a number of lines of ${line}`);
          for (const mark of snippet.querySelectorAll(".search-result-file-matched-text")) {
            const { top } = mark.getBoundingClientRect();
            if (top < bottom - 1 && mark.getBoundingClientRect().bottom > bottom + line * 0.5) found.push(`${mark.textContent}: shows above the cut`);
          }
        }
        return found;
      });
      const overflows = await product.pane.evaluate((pane) => [...pane.querySelectorAll(".quarry-head, .quarry-bar, .quarry-foot, .quarry-hit")].filter((el) => el.scrollWidth > el.clientWidth + 1).map((el) => el.className));
      await product.host.screenshot(join(PICTURES, `${name}-fonts.png`));
      const found = await violations(".quarry-pane");
      await product.host.cssVariables(Object.fromEntries(Object.keys(variables).map((variable) => [variable, ""])));

      assert.deepEqual([slivers, overflows, found], [[], [], []]);
    });
  }

  test("in a window of its own the pane is drawn, found and opened as in the main one", async () => {
    const popout = await product.host.popOut("quarry-search");
    const input = popout.locator(".quarry-pane input");
    await input.fill("");
    await input.fill("sticking key");
    await popout.locator(".quarry-hit").first().waitFor();
    await popout.evaluate(AXE);
    const found = await popout.evaluate(async () => {
      const axe = /** @type {typeof import("axe-core")} */ (Reflect.get(window, "axe"));
      return (await axe.run({ include: [".quarry-pane"], exclude: [".search-input-clear-button", ".mod-cta"] }, { resultTypes: ["violations"] })).violations.map(({ id }) => id);
    });
    const path = await popout.locator(".quarry-hit .quarry-title").first().getAttribute("title");
    await input.press("Enter");
    const opened = await until(() => product.host.activeNote().then((note) => (note?.path === path ? note : null)), "the best note is opened");
    await popout.screenshot({ path: join(PICTURES, "pop-out.png") });

    assert.deepEqual(found, []);
    assert.notDeepEqual(opened.flashed, []);
    assert.ok((await popout.locator(".quarry-hit").count()) > 3, "the pane stays in its window");
  });
});
