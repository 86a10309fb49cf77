/** The index inspector: what is indexed, what is not and why, and the ways out, by mouse and by keyboard. */
import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { startProduct, until } from "./product.mjs";

const NOTES = {
  ".quarry.toml": '# mine\n[folders]\nexclude = ["Archive"] # old\n',
  "Boat.md": "# Boat\n\nThe keel was painted in spring.\n",
  "Work/Plan.md": "# Plan\n\nThe keel again.\n",
  "Work/Deep/Key.md": "# Key\n\nThe key sticks.\n",
  "Archive/Old.md": "# Old\n\nThe keel of the old boat.\n",
  "Half.md": "---\na: b\njust words\n---\nThe keel, half.\n",
};

const product = await startProduct({ notes: NOTES, viewport: { width: 1300, height: 900 } }, ({ vault }) => { symlinkSync("nowhere.md", join(vault.path, "Loop.md")); });
const { page } = product;

describe("the index inspector", () => {
  afterEach(() => page.evaluate(() => window.app.workspace.detachLeavesOfType("quarry-inspector")));

  const view = () => page.locator(".quarry-inspect");
  /** @param {string} name */
  const row = (name) => view().getByRole("row", { name });
  const names = async () => view().locator(".quarry-inspect-row").evaluateAll((rows) => rows.map((el) => el.querySelector(".quarry-inspect-text")?.textContent ?? el.textContent));

  /** Wait for a row's text, which a row is given when it comes into sight. @param {string} name @param {string | RegExp} text */
  const says = (name, text) => row(name).filter({ hasText: text }).waitFor();

  async function open() {
    await product.host.runCommand("open-inspector");
    await row("Work").waitFor();
  }

  test("opened from the pane's last line: facts, counts by state, folders with theirs", async () => {
    await product.pane.locator(".quarry-status-text").click();
    await row("Work").waitFor();

    assert.deepEqual(await names(), ["Archive", "Work", "Boat", "Half", "Loop"]);
    await says("Archive", "1 excluded");
    assert.match(await view().locator(".quarry-inspect-dl").innerText(), /Notes\n4\n/);
    assert.match(await view().locator(".quarry-inspect-dl").innerText(), /Last full rebuild\n/);
    const filters = await view().locator(".quarry-inspect-filters button").allInnerTexts();
    assert.deepEqual(filters, ["All 6", "indexed 3", "partly indexed 1", "excluded 1", "failed 1"]);
  });

  test("by keyboard alone: a folder is opened, a note's report is read and closed, the focus stays", async () => {
    await open();
    await row("Archive").focus();
    for (const key of ["ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    await row("Plan").waitFor();
    assert.deepEqual(await names(), ["Archive", "Work", "Deep", "Plan", "Boat", "Half", "Loop"]);
    for (const key of ["End", "ArrowUp", "Enter"]) await page.keyboard.press(key);
    const report = page.locator(".quarry-inspect-report");
    await report.waitFor();
    assert.match(await report.innerText(), /front matter/);
    for (const key of ["Escape", "Home"]) await page.keyboard.press(key);
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-key")), "f:Archive");
    assert.equal(await view().locator('[tabindex="0"].quarry-inspect-row').count(), 1);
  });

  test("one state alone is a list with reasons", async () => {
    await open();
    await view().getByRole("button", { name: "failed 1" }).click();
    await until(async () => (await names()).join() === "Loop", "only the note that failed");
    await says("Loop", "failed: It is a link");
    await view().getByRole("button", { name: "excluded 1" }).click();
    await until(async () => (await names()).join() === "Old", "only the excluded note");
    await says("Old", "Archive · excluded: The settings exclude the folder “Archive”");
  });

  test("rebuilding asks first, and can be declined", async () => {
    await open();
    await view().getByRole("button", { name: "Rebuild index" }).click();
    const dialog = page.getByRole("dialog");
    assert.match(await dialog.innerText(), /All notes are read again/);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual((await product.host.notices()).filter(({ text }) => text.includes("Rebuilding")), []);
  });

  test("at 250 px nothing is cut off", async () => {
    await open();
    await view().evaluate((el) => { el.style.width = "250px"; });
    const wide = await view().evaluate((el) => [...el.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > el.getBoundingClientRect().right + 1).length);
    assert.equal(wide, 0);
  });

  test("it follows the vault: what is saved and deleted is counted without being asked", async () => {
    await open();
    await product.host.write("Work/New.md", "# New\n\nFresh paint.\n");
    await says("Work", /^Work\s*3/);
    writeFileSync(join(product.vault.path, "<img src=x onerror=alert(1)>.md"), "text");
    await product.host.write("Work/Newer.md", "# Newer\n");
    await until(async () => (await names()).includes("<img src=x onerror=alert(1)>"), "a hostile name is text");
  });

  test("an excluded folder is taken in by its menu, and another left out: comments of the settings stay", async () => {
    await open();
    await row("Archive").getByRole("button").click();
    await page.getByRole("menuitem", { name: "Include “Archive” in Quarry" }).click();
    await row("Archive").filter({ hasNotText: "excluded" }).waitFor();
    await row("Work").getByRole("button").click();
    await page.getByRole("menuitem", { name: "Exclude from Quarry" }).click();
    await says("Work", "4 excluded");
    assert.match(readFileSync(join(product.vault.path, ".quarry.toml"), "utf8"), /^# mine\n\[folders\]\nexclude = \["Work"\] # old/);
  });

  test("why is my note not found: picked by name, told with the way out, which is taken", async () => {
    await product.host.runCommand("why-not-found");
    await page.locator(".prompt-input").fill("plan");
    await page.keyboard.press("Enter");
    const report = page.locator(".quarry-inspect-report");
    assert.match(await report.innerText(), /The settings exclude the folder “Work”\./);
    await report.getByRole("button", { name: "Include “Work” in Quarry" }).click();
    await product.openPane();
    await until(async () => (await product.search("keel again")).some(({ path }) => path === "Work/Plan.md"), "the note is found");
  });

  test("menus of files and folders: left out and taken in again", async () => {
    await product.host.fileMenu("Work/Deep");
    await page.getByRole("menuitem", { name: "Exclude from Quarry" }).click();
    await until(() => readFileSync(join(product.vault.path, ".quarry.toml"), "utf8").includes("Work/Deep"), "the settings have it");
    await until(async () => {
      await product.host.fileMenu("Work/Deep");
      const has = await page.getByRole("menuitem", { name: "Include “Work/Deep” in Quarry" }).count();
      if (has === 0) await page.keyboard.press("Escape");
      return has > 0;
    }, "the menu offers the way back");
    await page.keyboard.press("Escape");
    await until(async () => (await product.search("key sticks")).every(({ path }) => path !== "Work/Deep/Key.md"), "what the settings exclude has left the index");
    await product.host.fileMenu("Work/Deep/Key.md");
    await page.getByRole("menuitem", { name: "Why is this note not found?" }).click();
    assert.match(await page.locator(".quarry-inspect-report").innerText(), /Work\/Deep/);
  });
});
