/** Keys in the pane: what is Obsidian's, the caret's or an input method's stays theirs, and all else can be assigned. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const NOTES = {
  "Keel.md": "# Keel\n\nThe keel was painted in spring.\n\n## Scraping\n\nBefore the keel is painted it is scraped for a day.\n",
  "Hull.md": "# Hull\n\nHull and keel are scraped before the paint is laid on.\n",
  "日本.md": "# 日本\n\nにほんのふね\n",
};

const product = await startProduct({ notes: NOTES });
const { host, page } = product;

describe("keys", () => {
  test("hotkeys of the app work in the box", async () => {
    await page.evaluate(() => {
      /** @type {string[]} */
      const pressed = [];
      Object.assign(window, { pressed });
      for (const key of ["o", "s", "n", "p", "1", "2", "3"]) {
        window.app.scope.register(["Mod"], key, () => {
          pressed.push(key);
          return false;
        });
      }
    });
    await product.search("keel");
    for (const key of ["o", "s", "n", "p", "1", "2", "3"]) await product.input.press(`ControlOrMeta+${key}`);

    assert.deepEqual(await page.evaluate(() => Reflect.get(window, "pressed")), ["o", "s", "n", "p", "1", "2", "3"]);
  });

  test("keys of the caret and of input methods are not prevented", async () => {
    await product.search("keel painted");
    await page.evaluate(() => {
      /** @type {string[]} */
      const taken = [];
      Object.assign(window, { taken });
      window.addEventListener("keydown", ({ key, defaultPrevented }) => { if (defaultPrevented) taken.push(key); });
    });
    await product.press("Alt+ArrowLeft", "Alt+ArrowRight", "Alt+ArrowUp", "Alt+ArrowDown", "Control+Space", "ArrowLeft", "ArrowLeft", "ArrowRight");
    const caret = await product.input.evaluate((el) => /** @type {HTMLInputElement} */ (el).selectionStart);

    assert.deepEqual(await page.evaluate(() => Reflect.get(window, "taken")), []);
    assert.equal(caret, "keel painted".length - 1);
  });

  test("Enter that ends a composition opens nothing, the next one does", async () => {
    await host.openNote("日本.md");
    await product.search("keel ");
    const session = await page.context().newCDPSession(page);
    await session.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
    await page.evaluate(() => document.addEventListener("keydown", ({ isComposing }) => Object.assign(window, { wasComposing: isComposing }), { once: true, capture: true }));
    await session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 });
    assert.equal(await page.evaluate(() => Reflect.get(window, "wasComposing")), true);
    await session.send("Input.insertText", { text: "日本" });
    await until(async () => (await product.input.inputValue()) === "keel 日本", "the composition is in the box");
    await product.answered();
    assert.equal((await host.activeNote())?.path, "日本.md");
    const [row] = await product.search("scraped for a day");
    await product.input.press("Enter");

    assert.equal(row?.path, "Keel.md");
    await product.opened("Keel.md");
  });

  test("a key paints the rows once, and writes nothing that is there already", async () => {
    await product.searchBy("keyword");
    await product.search("ke");
    await page.evaluate(() => {
      const list = /** @type {HTMLElement} */ (document.querySelector(".quarry-list .search-results-children"));
      const painted = { times: 0, inVain: /** @type {string[]} */ ([]) };
      new MutationObserver((records) => {
        painted.times += 1;
        for (const { type, target, attributeName, oldValue, addedNodes, removedNodes } of records) {
          const is = type === "attributes" ? /** @type {Element} */ (target).getAttribute(attributeName ?? "") : type === "characterData" ? target.textContent : [...addedNodes].map(({ textContent }) => textContent).join();
          const was = type === "childList" ? [...removedNodes].map(({ textContent }) => textContent).join() : oldValue;
          if (is === was && is !== "") painted.inVain.push(`${type} ${attributeName ?? ""} ${is}`);
        }
      }).observe(list, { attributes: true, attributeOldValue: true, characterData: true, characterDataOldValue: true, childList: true, subtree: true });
      Object.assign(window, { painted });
    });
    const times = [];
    for (const letter of "el painted") {
      await product.input.press(letter === " " ? "Space" : letter);
      await product.answered();
      times.push(await page.evaluate(() => {
        const painted = Reflect.get(window, "painted");
        const { times } = painted;
        painted.times = 0;
        return times;
      }));
    }
    const inVain = await page.evaluate(() => Reflect.get(window, "painted").inVain);
    await product.searchBy("hybrid");

    assert.ok(times.every((count) => count <= 1) && times.includes(1), `${times}`);
    assert.deepEqual(inVain, []);
  });

  test("what is typed over a selection replaces it in the editor, and what is typed after a jump replaces nothing", async () => {
    await host.openNote("Hull.md");
    await host.select("scraped");
    await page.evaluate(() => window.app.workspace.activeEditor?.editor.focus());
    await page.keyboard.type("sanded");
    assert.match((await host.activeNote())?.text ?? "", /keel are sanded before/);
    await product.search("painted in spring");
    await product.input.press("Enter");
    const before = await product.opened("Keel.md", ({ flashed, isFocused }) => flashed.length > 0 && isFocused);
    await page.keyboard.type("x");
    const after = await product.opened("Keel.md", ({ text }) => text !== before.text);

    assert.equal(after.text.replace("x", ""), before.text);
    assert.deepEqual(after.flashed, []);
  });

  test("every action is a command of the active pane, without a key of its own", async () => {
    const inPane = (await host.commands()).filter(({ id }) => /:(result|mode)-|:(next|previous|show|hide|preview|earlier|later|save|create)-/.test(id));
    assert.equal(inPane.length, 28);
    assert.ok(inPane.every(({ hasHotkey }) => !hasHotkey));
    await host.openNote("Hull.md");
    await assert.rejects(host.runCommand("save-search"), /not available now/);
    await product.input.fill("");
    await product.search("keel painted");
    await product.input.focus();
    await host.runCommand("mode-keyword");
    await product.pane.locator('.quarry-mode[data-mode="keyword"][aria-pressed="true"]').waitFor();
    await host.runCommand("next-result");
    await host.runCommand("preview-result");
    await page.locator(".quarry-peek").waitFor();
    await host.runCommand("preview-result");
    const second = (await product.rows()).find(({ isSelected }) => isSelected);
    await host.runCommand("result-open-tab");

    await product.opened(second?.path ?? "");
    assert.notEqual(second?.path, (await product.rows())[0]?.path);
  });
});
