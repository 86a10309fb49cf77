/** The test host behaves like Obsidian where the plugin can tell the difference. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { copyVault, openHost } from "./harness.mjs";
import { ECHO, NOTES, PLUGIN, echo, heard, isAlive } from "./host/fixture-plugin/fixture.mjs";

const PICTURES = fileURLToPath(new URL("out", import.meta.url));

// A hang is a failure; nothing here takes a tenth of this.
describe("the test host", { timeout: 120_000 }, () => {
  /** @type {import("./harness.mjs").Host} */
  let host;
  const vault = copyVault(undefined, NOTES);

  before(async () => {
    host = await openHost({ vault: vault.path, plugin: PLUGIN, data: { greeting: "Good day" }, localStorage: { engine: "/opt/engine" } });
    await host.enable();
  });

  after(async () => {
    await host.close();
    vault.remove();
  });

  test("starting the app tells every file as created before the layout is ready", async () => {
    const events = await heard(host);

    assert.equal(events.at(-1), "layout-ready");
    assert.ok(events.includes("create Projects/Garden/Fig tree.md"));
    assert.ok(events.indexOf("create Projects/Garden") < events.indexOf("create Projects/Garden/Fig tree.md"));
    assert.ok(!events.some((event) => event.includes(".obsidian")));
  });

  test("saved settings and device storage reach the plugin", async () => {
    const [greeting, engine] = await host.page.evaluate(() => [Reflect.get(window, "fixture").settings.greeting, window.app.loadLocalStorage("engine")]);

    assert.equal(greeting, "Good day");
    assert.equal(engine, "/opt/engine");
  });

  test("what the host lacks is named", async () => {
    const ask = (/** @type {string} */ code) =>
      host.page.evaluate((name) => {
        try {
          if (name === "obsidian") Reflect.get(Reflect.get(window, "require")("obsidian"), "Bases");
          else if (name === "app") Reflect.get(window.app, "plugins");
          else Reflect.get(Reflect.get(window, "require")("fs"), "watch");
          return "nothing thrown";
        } catch (error) {
          return String(error);
        }
      }, code);

    assert.match(await ask("obsidian"), /no obsidian\.Bases/);
    assert.match(await ask("app"), /no App\.plugins/);
    assert.match(await ask("fs"), /no fs\.watch/);
  });

  test("a view opens in the sidebar and takes keys", async () => {
    await host.openView("fixture-view");
    await host.page.locator(".fixture-row").waitFor({ state: "attached" });
    await host.page.locator(".mod-right-split input[type=search]").pressSequentially("fig");
    await host.page.locator(".fixture-row", { hasText: "fig" }).waitFor();

    assert.equal(await host.page.locator(".mod-right-split").evaluate((el) => el.getBoundingClientRect().width), 300);
    assert.equal(await host.page.locator(".fixture-row").evaluate((el) => getComputedStyle(el).color !== getComputedStyle(document.body).color), true);
  });

  test("saving, creating and removing notes fire one event each and change the disk", async () => {
    await heard(host);

    await host.write("Daily/2026-01-02.md", "# Friday\n\nPrune the fig tree.\n");
    await host.write("Ideas/Pond.md", "Dig.\n");
    await host.remove("Ideas");

    assert.deepEqual(await heard(host), ["modify Daily/2026-01-02.md", "create Ideas", "create Ideas/Pond.md", "delete Ideas/Pond.md", "delete Ideas"]);
    assert.match(readFileSync(join(vault.path, "Daily/2026-01-02.md"), "utf8"), /Prune/);
    assert.ok(!existsSync(join(vault.path, "Ideas")));
  });

  test("renaming a folder tells the folder and then each file in it", async () => {
    await heard(host);

    await host.rename("Projects/Garden", "Projects/Orchard");

    assert.deepEqual(await heard(host), [
      "rename Projects/Garden -> Projects/Orchard (folder)",
      "rename Projects/Garden/Compost.md -> Projects/Orchard/Compost.md",
      "rename Projects/Garden/Fig tree.md -> Projects/Orchard/Fig tree.md",
    ]);
    assert.ok(existsSync(join(vault.path, "Projects/Orchard/Fig tree.md")));
  });

  test("what another program writes is noticed", async () => {
    await heard(host);

    writeFileSync(join(vault.path, "From sync.md"), "Arrived.\n");
    await host.page.waitForFunction(() => Reflect.get(window, "fixture").heard.includes("create From sync.md"));

    assert.deepEqual((await heard(host)).filter((event) => !event.includes("From sync.md")), []);
  });

  test("a jump selects the passage, and a CRLF counts as one character", async () => {
    await host.page.evaluate(async () => {
      const file = window.app.vault.getFileByPath("Windows.md");
      if (!file) throw new Error("no note");
      await window.app.workspace.getLeaf(false).openFile(file, { eState: { match: { content: "", matches: [[6, 12]] } } });
      const { editor } = /** @type {import("./host/page/obsidian/markdown-view").MarkdownView} */ (window.app.workspace.activeLeaf?.view);
      editor.setSelection(editor.offsetToPos(6), editor.offsetToPos(12));
    });
    const note = await host.activeNote();

    assert.equal(note?.path, "Windows.md");
    assert.deepEqual(note?.selection, { from: 6, to: 12, text: "second" });
    assert.deepEqual(note?.flashed, ["second"]);
    assert.deepEqual(note?.eState, { match: { content: "", matches: [[6, 12]] } });
    assert.equal(await host.page.locator(".cm-selectionBackground").innerText(), "second");
  });

  test("a link with a heading opens the note at the heading", async () => {
    await host.page.evaluate(() => window.app.workspace.openLinkText("Fig tree#Soil", "Windows.md"));
    const note = await host.activeNote();

    assert.equal(note?.path, "Projects/Orchard/Fig tree.md");
    assert.equal(note?.cursor.line, 2);
  });

  test("commands run, and say so when they are not available", async () => {
    await host.runCommand("notice");
    await host.openNote("Windows.md");
    await host.runCommand("selection");
    await host.page.locator(".mod-right-split input[type=search]").click();

    assert.equal((await host.notices()).at(-1)?.text, "Noticed");
    await assert.rejects(host.runCommand("selection"), /not available now/);
  });

  test("an obsidian link reaches its handler", async () => {
    await heard(host);

    await host.openUri("obsidian://fixture?query=fig%20tree");

    assert.deepEqual(await heard(host), ["uri fig tree"]);
  });

  test("declared settings are drawn, validated and saved to the vault's plugin folder", async () => {
    const saved = () => JSON.parse(readFileSync(join(vault.path, ".obsidian/plugins/fixture/data.json"), "utf8"));
    await host.openSettings();
    const greeting = host.page.locator(".setting-item", { hasText: "Greeting" });
    await greeting.locator("input").fill("Welcome");
    await host.page.locator(".setting-item", { hasText: "Loud" }).locator(".checkbox-container").click();
    await greeting.locator("input").fill("");

    await greeting.getByText("Say something.").waitFor();
    assert.deepEqual(saved(), { greeting: "Welcome", loud: true });
    await host.page.keyboard.press("Escape");
    assert.equal(await host.page.locator(".modal").count(), 0);
  });

  test("keys go to the scope of the active view, and Mod+Enter means a new tab", async () => {
    await host.page.evaluate(() => {
      const { Keymap, Scope } = Reflect.get(window, "require")("obsidian");
      const view = window.app.workspace.getLeavesOfType("fixture-view")[0]?.view;
      if (!view) throw new Error("no view");
      view.scope = new Scope(window.app.scope);
      view.scope?.register(["Mod"], "Enter", (event) => {
        Reflect.get(window, "fixture").heard.push(`opens in ${Keymap.isModEvent(event)}`);
        return false;
      });
    });
    await heard(host);

    await host.page.locator(".mod-right-split input[type=search]").click();
    await host.page.keyboard.press("ControlOrMeta+Enter");
    await host.openNote("Windows.md");
    await host.page.locator(".cm-content").click();
    await host.page.keyboard.press("ControlOrMeta+Enter");

    assert.deepEqual((await heard(host)).filter((event) => event.startsWith("opens")), ["opens in tab"]);
  });

  test("a jump in reading view flashes the line", async () => {
    await host.openNote("Windows.md", "preview");
    await host.page.evaluate(() => window.app.workspace.activeLeaf?.setEphemeralState({ line: 2 }));
    const note = await host.activeNote();

    assert.equal(note?.mode, "preview");
    assert.deepEqual(note?.flashed, ["third"]);
    await host.openNote("Windows.md", "source");
  });

  test("turning the plugin off and on leaves nothing behind twice", async () => {
    const { pid } = await echo(host, ECHO);
    const gone = host.page.waitForFunction(() => Reflect.get(window, "fixture").heard.includes("exit 0"));
    const before = await host.page.evaluateHandle(() => Reflect.get(window, "fixture"));

    await host.disable();
    await gone;
    await host.enable();

    assert.ok(!isAlive(pid));
    assert.equal(await before.evaluate((plugin) => plugin === Reflect.get(window, "fixture")), false);
    assert.equal(await host.page.locator(".side-dock-ribbon-action").count(), 1);
    assert.deepEqual(await host.statusBar(), ["idle"]);
    assert.equal(await host.page.locator(".mod-right-split input[type=search]").count(), 1);
  });

  test("starting the app again brings the tabs back and ends the children of the old page", async () => {
    const { pid } = await echo(host, ECHO);

    await host.restart();

    assert.equal(await host.page.locator(".mod-right-split input[type=search]").count(), 1);
    assert.equal((await heard(host)).at(-1), "layout-ready");
    await assert.doesNotReject(waitUntil(() => !isAlive(pid)));
  });

  test("a tab that nobody sees is loaded when it is first shown", async () => {
    await host.page.evaluate(() => window.app.workspace.rightSplit.collapse());
    const isDeferred = () => host.page.evaluate(() => window.app.workspace.getLeavesOfType("fixture-view")[0]?.isDeferred);

    await host.restart();

    assert.equal(await isDeferred(), true);
    assert.equal(await host.page.locator("input[type=search]").count(), 0);
    await host.openView("fixture-view");
    assert.equal(await isDeferred(), false);
    assert.equal(await host.page.locator("input[type=search]").count(), 1);
  });

  test("each theme gives its own screenshot, and nothing went wrong on the way", async () => {
    await host.openNote("Projects/Orchard/Fig tree.md");
    const picture = async (/** @type {"light" | "dark"} */ theme) => {
      await host.theme(theme);
      await host.screenshot(join(PICTURES, `host-${theme}.png`));
      return readFileSync(join(PICTURES, `host-${theme}.png`));
    };

    assert.notDeepEqual(await picture("light"), await picture("dark"));
    assert.deepEqual(host.errors(), []);
  });
});

/** @param {() => boolean} condition comes true when the system has done its part */
async function waitUntil(condition) {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
