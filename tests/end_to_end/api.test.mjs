/** What other plugins, links and Obsidian's command line can ask of Quarry, with the real sidecar. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const NOTES = {
  "Boat/Keel.md": "---\ntags: [boat]\n---\n# Keel\n\nThe keel was painted with red antifouling in spring.\n\nSee [[Rudder]].\n",
  "Boat/Rudder.md": "# Rudder\n\nThe rudder hangs behind the keel and was painted too.\n",
  "Garden/Fig.md": "# Fig tree\n\nWater the fig tree every evening in July.\n",
};

const product = await startProduct({ notes: NOTES }, ({ page }) =>
  page.evaluate(() => {
    const told = /** @type {string[]} */ ([]);
    Object.assign(window, { told });
    window.app.workspace.on("quarry:loaded", (api) => {
      Object.assign(window, { quarry: api });
      told.push("loaded");
      /** @type {import("../../plugin/api/quarry-api").QuarryApi} */ (api).onReady(() => told.push("ready"));
    });
    window.app.workspace.on("quarry:unloaded", () => told.push("unloaded"));
  }),
);

describe("for other plugins and links", () => {
  /** @returns {Promise<import("playwright-core").JSHandle<import("../../plugin/api/quarry-api").QuarryApi>>} */
  const theApi = async () => /** @type {any} */ (await product.page.evaluateHandle(() => Reflect.get(window, "quarry")));
  /** @param {string} start of what comes to stand in the box */
  const inTheBox = (start) => until(async () => ((await product.input.inputValue()).startsWith(start) ? product.input.inputValue() : null), `${start} in the box`);

  test("the API is handed out when Quarry is loaded, and says when it is ready", async () => {
    assert.deepEqual(await product.page.evaluate(() => Reflect.get(window, "told")), ["loaded", "ready"]);
  });

  test("a search gives hits, related gives neighbours, and a save is told", async () => {
    const api = await theApi();
    const found = await api.evaluate((quarry) => quarry.search("painted keel", { limit: 2 }));
    const related = await api.evaluate((quarry) => quarry.related("Boat/Keel.md"));
    await api.evaluate((quarry) => quarry.onIndexUpdated(() => Reflect.get(window, "told").push("updated")));
    await product.host.write("Boat/Mast.md", "# Mast\n\nThe mast was varnished.\n");
    await product.page.waitForFunction(() => Reflect.get(window, "told").includes("updated"));

    assert.ok(found.ok);
    const [best] = found.value.hits;
    assert.equal(best?.path, "Boat/Keel.md");
    assert.deepEqual(best.tags, ["boat"]);
    assert.ok(best.confidence > 0 && best.confidence <= 1);
    const { snippet = "", marks = [], start = 0, end = 0 } = best.passage ?? {};
    assert.deepEqual(marks.map((mark) => snippet.slice(mark.start, mark.end).toLowerCase()).filter((word) => word === "keel" || word === "painted").sort(), ["keel", "painted"]);
    assert.match(NOTES["Boat/Keel.md"].slice(start, end), /^keel|^painted/i);
    assert.ok(related.ok);
    assert.deepEqual(related.value.map(({ path, isLinked }) => [path, isLinked])[0], ["Boat/Rudder.md", true]);
  });

  test("failures are values: a bad query, a missing note, an aborted search", async () => {
    const api = await theApi();
    const kinds = await api.evaluate(async (quarry) => {
      const controller = new AbortController();
      const replies = [quarry.search("/(keel/"), quarry.related("Nowhere.md"), quarry.search("keel", { signal: controller.signal })];
      controller.abort();
      return (await Promise.all(replies)).map((reply) => (reply.ok ? "ok" : reply.error.kind));
    });

    assert.deepEqual(kinds, ["bad-query", "failed", "cancelled"]);
  });

  test("nothing in the API leads to the token or the connection", async () => {
    const { token, port } = await product.sidecar();
    const seen = await (await theApi()).evaluate((quarry) => {
      const texts = [];
      for (let at = /** @type {object | null} */ (quarry); at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
        for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) texts.push(name, typeof value === "function" ? JSON.stringify({ ...value }) : JSON.stringify(value));
      }
      return texts.join("\n");
    });

    assert.ok(!seen.includes(token) && !seen.includes(String(port)));
  });

  test("Obsidian's command line searches and lists related notes", async () => {
    const words = await product.host.runCli("quarry", { query: "antifouling" });
    const paths = await product.host.runCli("quarry", { query: "painted", mode: "keyword", paths: "true" });
    const json = JSON.parse(await product.host.runCli("quarry:related", { path: "Boat/Keel.md", json: "true" }));

    assert.match(words, /^Boat\/Keel\.md:\d+ {2}\d+%\n {2}.*antifouling/);
    assert.deepEqual(paths.split("\n").sort(), ["Boat/Keel.md", "Boat/Rudder.md"]);
    assert.equal(json.value[0].path, "Boat/Rudder.md");
    await assert.rejects(product.host.runCli("quarry", {}), /missing: query/);
  });

  test("a link shows the search, in its mode", async () => {
    await product.host.openUri("obsidian://quarry?query=painted&mode=keyword");
    await inTheBox("painted");

    assert.equal(await product.pane.locator('.quarry-mode[data-mode="keyword"]').getAttribute("aria-pressed"), "true");
    await product.host.openUri("obsidian://quarry?query=paint&mode=hybrid");
    await inTheBox("paint");
  });

  test("a link with open=1 opens a likely answer at the passage, and else shows the pane", async () => {
    await product.host.openUri(`obsidian://quarry?open=1&query=${encodeURIComponent("red antifouling keel")}`);
    const opened = await product.opened("Boat/Keel.md", ({ flashed }) => flashed.length > 0);
    await product.host.openUri(`obsidian://quarry?open=1&query=${encodeURIComponent("zebra accordion tax")}`);
    await inTheBox("zebra accordion tax");

    assert.match(opened.flashed.join(), /keel|antifouling|red/i);
    assert.equal((await product.host.activeNote())?.path, "Boat/Keel.md");
  });

  test("hostile parameters end as a short query in the box", async () => {
    await product.host.openUri(`obsidian://quarry?mode=__proto__&open=1&query=${encodeURIComponent(`<img src=x onerror=alert(1)>\u202e${"x ".repeat(5_000)}`)}`);

    const value = await inTheBox("<img src=x onerror=alert(1)> x");
    assert.ok(value.length <= 1_000);
  });

  test("the link to a search is copied by a command and in the tab's menu, and leads back", async () => {
    await product.search("fig tree");
    await product.host.runCommand("copy-search-link");
    const link = await until(() => product.page.evaluate(async () => (await navigator.clipboard.readText()) || null), "a link in the clipboard");
    await product.page.evaluate(() => navigator.clipboard.writeText(""));
    await product.page.locator('.workspace-tab-header[data-type="quarry-search"]').click({ button: "right" });
    await product.page.locator(".menu-item", { hasText: "Copy link to search" }).click();
    const again = await until(() => product.page.evaluate(async () => (await navigator.clipboard.readText()) || null), "a link in the clipboard");

    assert.match(link, /^obsidian:\/\/quarry\?vault=[^&]+&query=fig%20tree$/);
    assert.equal(again, link);
    await product.search("keel");
    await product.host.openUri(link);
    await inTheBox("fig tree");
  });

  test("turned off, the API refuses and its listeners are gone; turned on, there is a new one", async () => {
    const old = await theApi();
    await product.host.disable();
    const refused = await old.evaluate(async (quarry) => {
      const reply = await quarry.search("keel");
      return [quarry.isReady(), reply.ok ? "ok" : reply.error.kind];
    });
    await product.host.enable();
    await product.openPane();
    await product.page.waitForFunction(() => Reflect.get(window, "quarry").isReady());

    assert.deepEqual(refused, [false, "unloaded"]);
    assert.deepEqual((await product.page.evaluate(() => Reflect.get(window, "told"))).filter((/** @type {string} */ event) => event !== "updated"), ["loaded", "ready", "unloaded", "loaded", "ready"]);
    assert.equal(await (await theApi()).evaluate(async (quarry) => (await quarry.search("keel")).ok), true);
  });
});
