/** Another vault beside this one: two sidecars, chosen in the pane, told apart in its rows, opened where it is. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, describe, test } from "node:test";
import { program } from "../../sidecar/dev/environment.mjs";
import { copyVault } from "./harness.mjs";
import { ENGINE, run, startProduct, until } from "./product.mjs";

const CONNECT = "import sys; from quarry.tiers.connected import connect; connect(sys.argv[1], 'vault', 'Shipyard')";
const other = copyVault(undefined, { "Keel.md": "# Keel\n\nThe zanzibar keel was laid in spring, and painted red.\n", "Mast & boom.md": "# Mast & boom\n\nThe mast is stepped on the keel.\n" });
/** @type {() => Record<string, string>} */
let environment = () => ({});
after(async () => {
  await run(ENGINE, ["stop", "--vault", other.path], environment());
  other.remove();
});
const product = await startProduct({ notes: { "Keel.md": "# Keel\n\nA keel of bricks holds the compost.\n" }, viewport: { width: 1000, height: 700 } });
const { page, pane, host } = product;
environment = () => ({ HOME: product.home.path, QUARRY_HOME: product.home.path });
const more = pane.locator('.quarry-tool[data-action="more"]');
const also = page.locator(".menu-item", { hasText: "Also search" });
const origins = () => pane.locator(".quarry-hit").evaluateAll((rows) => rows.map((row) => row.querySelector(".quarry-origin:not(.is-hidden)")?.textContent ?? ""));

describe("a vault beside this one", () => {
  test("where none is connected, nothing offers one", async () => {
    await more.click();
    await page.locator(".menu-item").first().waitFor();
    assert.equal(await also.count(), 0);
    await page.keyboard.press("Escape");
    await product.search("keel");

    assert.deepEqual(await origins(), [""]);
  });

  test("chosen in the menu, its notes are among the rows, each with its name", async () => {
    assert.equal((await run(program("python"), ["-c", CONNECT, other.path], environment())).code, 0);
    assert.equal((await run(ENGINE, ["search", "--vault", other.path, "keel"], environment())).code, 0); // its sidecar runs, and has indexed it
    await product.chooseMore("Also search Shipyard");
    const rows = await product.rowsUntil((all) => all.length === 3, "the notes of both vaults are there");

    assert.deepEqual((await origins()).sort(), ["", "Shipyard", "Shipyard"]);
    assert.equal(new Set(rows.map(({ path }) => path)).size, 3, "two notes of one name are two rows");
    assert.ok(await more.evaluate((el) => el.classList.contains("is-active")));
    assert.match(await pane.locator(".quarry-hit", { hasText: "Shipyard" }).first().locator(".quarry-said").textContent() ?? "", /Vault: Shipyard/u);
    await more.click();
    assert.equal(await page.locator(".menu-item.mod-checked").innerText(), "Also search Shipyard");
    await page.keyboard.press("Escape");
  });

  test("Enter opens its note in its vault, by Obsidian's address", async () => {
    await page.evaluate(() => {
      Object.assign(window, { opened: [], open: (/** @type {string} */ url) => /** @type {any} */ (window).opened.push(url) });
    });
    await product.search("mast boom stepped");
    await product.rowsUntil(([first]) => first?.title === "Mast & boom", "the note of the other vault is first");
    await product.input.press("Enter");

    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).opened), [`obsidian://open?path=${encodeURIComponent(`${other.path}/Mast & boom.md`)}`]);
  });

  test("the pointer with Ctrl held shows its passage, and its menu offers what can be done with it", async () => {
    const row = pane.locator(".quarry-hit", { hasText: "Mast & boom" });
    await page.keyboard.down("Control");
    await row.locator(".quarry-title").hover();
    await page.locator(".quarry-peek", { hasText: "stepped on the keel" }).waitFor();
    await page.keyboard.up("Control");
    await row.locator(".quarry-title").click({ button: "right" });
    const items = await page.locator(".menu-item").allInnerTexts();
    await page.keyboard.press("Escape");

    assert.deepEqual(items.map((text) => text.trim()), ["Open", "Copy passage"]);
  });

  test("the choice is the pane's own, and is there after a restart", async () => {
    const state = () => page.evaluate(() => /** @type {any} */ (window).app.workspace.getLeavesOfType("quarry-search")[0].view.getState().tiers);
    assert.deepEqual(await state(), ["Shipyard"]);
    await host.restart();
    await pane.waitFor();
    await product.live();
    await until(async () => JSON.stringify(await state()) === '["Shipyard"]', "the pane has the tier again");
  });

  test("one whose folder is gone is named, with what to do, above the rows of this vault", async () => {
    await run(ENGINE, ["stop", "--vault", other.path], environment());
    rmSync(other.path, { recursive: true });
    await product.search("keel bricks");
    await pane.locator(".quarry-line", { hasText: "The folder of Shipyard is not there" }).waitFor();

    assert.deepEqual(await origins(), [""]);
  });

  test("taken off in the menu, this vault is searched alone", async () => {
    await product.chooseMore("Also search Shipyard");
    await until(async () => !(await pane.locator(".quarry-line").innerText()).includes("Shipyard"), "nothing is said of it");
    assert.ok(!(await more.evaluate((el) => el.classList.contains("is-active"))));
  });
});
