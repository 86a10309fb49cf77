/** Metadata, pop-out windows, direction and the system's display settings in the test host are Obsidian's. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { copyVault, openHost } from "./harness.mjs";
import { NOTES, PLUGIN } from "./host/fixture-plugin/fixture.mjs";

const PLAN = `---
title: The plan
aliases: [Roadmap, "Plan, the"]
tags: idea, work/now
up: "[[Compost]]"
due: 2026-03-01
---
# Plan

See [[Fig tree#Soil|the soil]], ![[Compost]] and [a page](Windows.md), not [this](https://example.org/#x).
\`#code\` and [[Nowhere]] are #Urgent. ^why

- [ ] call
  - [x] done
- plain

\`\`\`sh
# no heading, #no-tag, [[no link]]
\`\`\`

> [!note] Callout
> inside
`;

describe("the test host", { timeout: 120_000 }, () => {
  /** @type {import("./harness.mjs").Host} */
  let host;
  const vault = copyVault(undefined, { ...NOTES, "Plan.md": PLAN, "Broken.md": "---\na: [\n---\nText\n", "Empty.md": "" });

  before(async () => {
    host = await openHost({ vault: vault.path, plugin: PLUGIN });
    await host.enable();
    await host.openView("fixture-view");
    await host.page.waitForFunction(() => window.app.metadataCache.getCache("Windows.md"));
  });

  after(async () => {
    await host.close();
    vault.remove();
  });

  /** @param {string} path */
  const cacheOf = (path) => host.page.evaluate((name) => window.app.metadataCache.getCache(name), path);

  test("properties are parsed, and their links are known by the property", async () => {
    const cache = await cacheOf("Plan.md");

    assert.deepEqual(cache?.frontmatter, { title: "The plan", aliases: ["Roadmap", "Plan, the"], tags: "idea, work/now", up: "[[Compost]]", due: "2026-03-01" });
    assert.deepEqual(cache?.frontmatterLinks, [{ key: "up", link: "Compost", original: "[[Compost]]", displayText: "Compost" }]);
    assert.deepEqual(cache?.frontmatterPosition?.end, { line: 6, col: 3, offset: PLAN.indexOf("\n# Plan") });
  });

  test("links, embeds, tags and headings have their positions, and code has none", async () => {
    const cache = await cacheOf("Plan.md");
    const cut = (/** @type {{ position: import("obsidian").Pos }[] | undefined} */ items) => items?.map(({ position }) => PLAN.slice(position.start.offset, position.end.offset));

    assert.deepEqual(cut(cache?.headings), ["# Plan"]);
    assert.deepEqual(cut(cache?.links), ["[[Fig tree#Soil|the soil]]", "[a page](Windows.md)", "[[Nowhere]]"]);
    assert.deepEqual(cut(cache?.embeds), ["![[Compost]]"]);
    assert.deepEqual(cut(cache?.tags), ["#Urgent"]);
    assert.deepEqual(cache?.sections?.map(({ type }) => type), ["yaml", "heading", "paragraph", "list", "code", "callout"]);
    assert.deepEqual(Object.keys(cache?.blocks ?? {}), ["why"]);
    assert.deepEqual(cache?.listItems?.map(({ task, parent }) => [task, parent]), [[" ", -12], ["x", 12], [undefined, -12]]);
  });

  test("tags and aliases come from properties and text, and links are counted", async () => {
    const [tags, aliases, resolved, unresolved] = await host.page.evaluate(() => {
      const { getAllTags, parseFrontMatterAliases } = Reflect.get(window, "require")("obsidian");
      const cache = window.app.metadataCache.getCache("Plan.md");
      return [getAllTags(cache), parseFrontMatterAliases(cache?.frontmatter), window.app.metadataCache.resolvedLinks["Plan.md"], window.app.metadataCache.unresolvedLinks["Plan.md"]];
    });

    assert.deepEqual(tags, ["#idea", "#work/now", "#Urgent"]);
    assert.deepEqual(aliases, ["Roadmap", "Plan, the"]);
    assert.deepEqual(resolved, { "Projects/Garden/Fig tree.md": 1, "Windows.md": 1, "Projects/Garden/Compost.md": 2 });
    assert.deepEqual(unresolved, { Nowhere: 1 });
  });

  test("properties that cannot be read are none, and an empty note has nothing", async () => {
    assert.equal((await cacheOf("Broken.md"))?.frontmatter, undefined);
    assert.deepEqual(await cacheOf("Empty.md"), {});
  });

  test("a view moves into a window of its own, keeps its state, and is told", async () => {
    await host.page.locator("input[type=search]").pressSequentially("fig");
    await host.page.evaluate(() => {
      const { workspace } = window.app;
      const heard = /** @type {string[]} */ ([]);
      Object.assign(window, { heardOfWindows: heard });
      workspace.on("window-open", () => heard.push("open"));
      workspace.on("window-close", () => heard.push("close"));
      workspace.getLeavesOfType("fixture-view")[0]?.view.containerEl.onWindowMigrated((win) => heard.push(win === window ? "home" : "migrated"));
    });
    const popout = await host.popOut("fixture-view");

    assert.equal(await popout.locator("input[type=search]").inputValue(), "fig");
    assert.equal(await host.page.locator("input[type=search]").count(), 0);
    assert.deepEqual(await host.page.evaluate(() => Reflect.get(window, "heardOfWindows")), ["open", "migrated"]);
    const facts = await host.page.evaluate(() => {
      const leaf = window.app.workspace.getLeavesOfType("fixture-view")[0];
      if (!leaf) throw new Error("no leaf");
      const { containerEl } = leaf;
      return [containerEl.win === window, containerEl.doc === document, window.activeWindow === containerEl.win, leaf.getContainer().win === containerEl.win, leaf.getRoot() === window.app.workspace.floatingSplit];
    });
    assert.deepEqual(facts, [false, false, true, true, true]);
    assert.equal(await popout.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor), await host.page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  });

  test("keys, menus and dialogs belong to the window they are asked for in, and its events are told apart", async () => {
    const [popout] = host.page.context().pages().filter((page) => page !== host.page);
    assert.ok(popout);
    await host.page.evaluate(() => {
      const { Menu, Modal } = Reflect.get(window, "require")("obsidian");
      const { containerEl } = window.app.workspace.getLeavesOfType("fixture-view")[0]?.view ?? {};
      const heard = Reflect.get(window, "heardOfWindows");
      containerEl?.addEventListener("contextmenu", (event) => {
        heard.push(`${event instanceof MouseEvent} ${event.instanceOf(MouseEvent)}`);
        Menu.forEvent(event).addItem((/** @type {import("obsidian").MenuItem} */ item) => item.setTitle("Here").onClick(() => new Modal(window.app).setTitle("Dialog").open()));
      });
    });
    await popout.locator("input[type=search]").click({ button: "right" });
    await popout.getByText("Here").click();

    await popout.getByText("Dialog").waitFor();
    assert.equal(await host.page.getByText("Dialog").count(), 0);
    assert.equal(await host.page.evaluate(() => Reflect.get(window, "heardOfWindows").at(-1)), "false true");
    await popout.keyboard.press("Escape");
    assert.equal(await popout.getByText("Dialog").count(), 0);
  });

  test("a window's theme and direction follow the app, and closing it closes its views", async () => {
    const [popout] = host.page.context().pages().filter((page) => page !== host.page);
    assert.ok(popout);
    await host.theme("dark");
    await host.direction("rtl");
    const look = await popout.locator("body").evaluate((body) => [body.className.includes("theme-dark"), body.className.includes("mod-rtl"), getComputedStyle(body).direction]);
    await host.direction("ltr");
    await host.theme("light");

    assert.deepEqual(look, [true, true, "rtl"]);
    await popout.evaluate(() => window.close()).catch(() => undefined);
    await host.page.waitForFunction(() => Reflect.get(window, "heardOfWindows").includes("close"));
    assert.deepEqual(await host.page.evaluate(() => [window.app.workspace.getLeavesOfType("fixture-view").length, window.activeWindow === window]), [0, true]);
  });

  test("the system's display settings reach the page", async () => {
    const matches = () => host.page.evaluate(() => ["(forced-colors: active)", "(prefers-reduced-motion: reduce)", "(prefers-contrast: more)"].map((query) => matchMedia(query).matches));
    await host.media({ forcedColors: "active", reducedMotion: "reduce", contrast: "more" });
    const asked = await matches();
    await host.media({ forcedColors: null, reducedMotion: null, contrast: null });

    assert.deepEqual(asked, [true, true, true]);
    assert.deepEqual(await matches(), [false, false, false]);
    assert.deepEqual(host.errors(), []);
  });
});
