/** The pane, its settings and its commands in each language that it speaks. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { PICTURES, openProduct, until } from "./product.mjs";

const NARROW_PX = 250;
const NO_MODEL = "/no/such/folder";

/** @type {Record<string, { notes: Record<string, string>, query: string, nothing: string, english: RegExp }>} */
const LANGUAGES = {
  de: {
    notes: {
      "Küche/Sauerteig.md": "# Sauerteig\n\n## Ansatz\n\nDer Sauerteig ruht über Nacht im Kühlschrank.\n\n## Backen\n\nDen Sauerteig bei 250 Grad backen.\n",
      "Küche/Tee.md": "# Tee\n\nGrüner Tee zieht zwei Minuten.\n",
      "Garten/Tomaten.md": "# Tomaten\n\nTomaten brauchen viel Sonne.\n",
    },
    query: "Sauerteig",
    nothing: "zzqxv tag:gibtesnicht",
    english: /\b(the|and|are|with|this|notes?|search|folder|found|words?|meaning|results?)\b/i,
  },
  ja: {
    notes: { "台所/パン.md": "# パン\n\n## 生地\n\nパンの生地を冷蔵庫で一晩休ませます。\n\n## 焼成\n\nパンを250度で焼きます。\n", "台所/お茶.md": "# お茶\n\n緑茶は二分蒸らします。\n" },
    query: "パン",
    nothing: "砂漠 tag:存在しない",
    english: /[A-Za-z]{3,}/,
  },
  zh: {
    notes: { "厨房/面包.md": "# 面包\n\n## 面团\n\n面包的面团要在冰箱里放一夜。\n\n## 烘烤\n\n面包用二百五十度烘烤。\n", "厨房/茶.md": "# 茶\n\n绿茶泡两分钟。\n" },
    query: "面包",
    nothing: "沙漠 tag:不存在",
    english: /[A-Za-z]{3,}/,
  },
};

/** @param {string} language @returns {Record<string, string | { other: string }>} */
function wordsOf(language) {
  return JSON.parse(readFileSync(new URL(`../../sidecar/quarry/locales/${language}.json`, import.meta.url), "utf8"));
}

/** What is the same in every language: names, operators, keys, and a heading of the guide, which is in English. */
const NAMES = /[「“]PDF files[」”]|ollama:nomic-embed-text|Quarry|PDF|Markdown|JSON|Obsidian|Hugging Face|Reciprocal Rank Fusion|RRF|Transformer|Templater|transformer|quarry|running|\brun\b|\b[a-z-]+:|\b(tag|path|domain|status|type|Tab|OR|property|bundled)\b|~\/\S+|127\.0\.0\.1|https?:\S+/gi;

/**
 * Everything below an element that a person reads or hears, without what notes say.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} selector
 * @returns {Promise<string[]>}
 */
async function spoken(page, selector) {
  return page.evaluate((root) => {
    const ofNotes = ".quarry-title, .quarry-aside, .quarry-folder, .quarry-trail, .quarry-snippet, .quarry-completion-label, textarea, kbd, .quarry-live, .search-input-clear-button"; // the last is a control of Obsidian
    const found = [];
    for (const el of document.querySelectorAll(`${root}, ${root} *`)) {
      if (!(el instanceof HTMLElement) || el.closest(ofNotes) || el.closest(".is-hidden")) continue;
      for (const node of el.childNodes) if (node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) found.push(node.textContent.trim());
      if (el.closest(".quarry-hit")) continue; // named by what is in the note
      for (const name of ["aria-label", "aria-description", "title", "placeholder"]) if (el.getAttribute(name)) found.push(el.getAttribute(name) ?? "");
    }
    return found;
  }, selector);
}

/** @param {import("playwright-core").Page} page */
async function overflowing(page) {
  return page.evaluate(() => {
    const pane = document.querySelector(".quarry-pane")?.getBoundingClientRect();
    return [...document.querySelectorAll(".quarry-pane button")]
      .filter((button) => {
        const { left, right, width } = button.getBoundingClientRect();
        const isOutside = left < (pane?.left ?? 0) - 1 || right > (pane?.right ?? 0) + 1;
        return width > 0 && (isOutside || button.scrollWidth > button.clientWidth + 1);
      })
      .map((button) => button.textContent || button.getAttribute("aria-label"));
  });
}

/** The error of a library, which is quoted in parentheses as it is. */
const ERROR_DETAIL = /\s*[(（]embedding model .*[)）]/s;

/** @type {import("./product.mjs").Product} */
let product;

afterEach(() => product.close());

const RUNS = {
  ja: "雨の日の午後に祖父の古い時計を修理しながら、歯車の油が乾いていることに気づき、新しい油を差してから静かに蓋を閉めた",
  zh: "下雨的午后我在修理祖父留下来的老座钟时发现齿轮上的油已经干了于是重新上了一点新油然后轻轻地合上了钟壳并把它放回书房的架子上",
};

test("a run of 50 characters without spaces is found, typed as it is or pasted in part", async () => {
  const others = Object.fromEntries([...Array(8).keys()].map((at) => [`他/${at}.md`, `# 他${at}\n\n時計と油。老座钟和书房。\n`]));
  product = await openProduct({ notes: { ...others, "時計.md": `# 記録\n\n${RUNS.ja}。\n`, "座钟.md": `# 记录\n\n${RUNS.zh}。\n` } });
  await product.start();

  for (const [path, run] of [["時計.md", RUNS.ja], ["座钟.md", RUNS.zh]]) {
    assert.ok([...(run ?? "")].length >= 50);
    for (const query of [run, `"${run}"`, [...(run ?? "")].slice(9, 40).join("")]) assert.equal((await product.search(query ?? ""))[0]?.path, path, query);
  }
});

describe("the languages", () => {
  for (const [language, { notes, query, nothing, english }] of Object.entries(LANGUAGES)) {
    const words = wordsOf(language);
    const inEnglish = (/** @type {string[]} */ texts) => texts.filter((text) => english.test(text.replace(query, "").replace(NAMES, "")));

    test(`${language}: the pane, its states, its settings and its commands`, async () => {
      product = await openProduct({ notes });
      const { page, host } = product;
      await page.evaluate((name) => { window.localStorage.setItem("language", name); }, language);
      await product.start();

      assert.equal(await product.input.getAttribute("placeholder"), words["pane.placeholder"]);
      await product.shows("empty");
      assert.equal((await product.panelWords()).title, words["panel.empty"]);
      assert.deepEqual(inEnglish(await spoken(page, ".quarry-pane")), []);
      assert.deepEqual(await overflowing(page), []);

      const rows = await product.search(query);
      assert.equal(rows[0]?.words[0], query);
      assert.deepEqual(inEnglish(await spoken(page, ".quarry-pane")), []);
      await page.addStyleTag({ content: `.workspace-split.mod-right-split { width: ${NARROW_PX}px !important; }` });
      assert.deepEqual(await overflowing(page), []);
      await host.screenshot(join(PICTURES, `pane-${language}-rows.png`));

      await product.search(nothing);
      assert.deepEqual(await overflowing(page), []);
      await host.screenshot(join(PICTURES, `pane-${language}-relaxed.png`));

      await product.input.fill("");
      await product.chooseMore(String(words["action.show-operators"]));
      await page.locator(".quarry-completion").first().waitFor();
      assert.deepEqual(inEnglish(await spoken(page, ".quarry-completions")), []);
      await host.screenshot(join(PICTURES, `pane-${language}-operators.png`));
      await page.keyboard.press("Escape");

      await product.chooseMore(String(words["action.show-keys"]));
      await page.locator(".quarry-keys").waitFor();
      assert.deepEqual(inEnglish(await spoken(page, ".quarry-keys")), []);
      await page.keyboard.press("Escape");
      await host.runCommand("open-inspector");
      await page.locator(".quarry-inspect-row").first().waitFor();
      assert.deepEqual(inEnglish(await spoken(page, ".quarry-inspect")), []);
      await host.screenshot(join(PICTURES, `inspector-${language}.png`));

      const names = (await host.commands()).map(({ name }) => name);
      assert.ok(names.some((name) => name.endsWith(String(words["command.open"]))));
      assert.deepEqual(inEnglish(names), []);

      await host.openSettings();
      await until(async () => (await page.locator(".setting-item textarea:not([disabled])").count()) > 0, "the vault's settings are read");
      assert.deepEqual(inEnglish(await spoken(page, ".modal .setting-item")), []);
      await host.screenshot(join(PICTURES, `settings-${language}.png`));
    });

    test(`${language}: what the engine says of a query, of what is missing, and of the index`, async () => {
      product = await openProduct({ notes: { ...notes, ".quarry.toml": `[embedding]\nmodel = "${NO_MODEL}"\n` } });
      const { page, host } = product;
      await page.evaluate((name) => { window.localStorage.setItem("language", name); }, language);
      await product.start();
      const said = async (/** @type {string} */ selector) => inEnglish((await spoken(page, selector)).map((text) => text.replaceAll(NO_MODEL, "").replaceAll("doctor", "").replace(ERROR_DETAIL, "")));

      await product.search(query);
      assert.ok(!(await product.pane.locator(".quarry-line").innerText()).includes(NO_MODEL)); // the bundled model answers
      assert.deepEqual(await said(".quarry-pane"), []);
      await host.screenshot(join(PICTURES, `pane-${language}-no-model.png`));

      await product.search(`${query} folder:1/2/3 -task-done:"x" modified:>2020`);
      await product.search(`-"${query}" kind:pdf created:2020-01..2020-02`);
      await product.shows("no-results");
      assert.deepEqual(await said(".quarry-pane"), []);
      await host.screenshot(join(PICTURES, `pane-${language}-understood.png`));

      await host.openSettings();
      await until(async () => (await page.locator(".setting-item textarea:not([disabled])").count()) > 0, "the vault's settings are read");
      assert.deepEqual(await said(".modal .setting-item"), []);
    });
  }
});
