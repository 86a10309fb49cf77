/** Further passages of a hit are loaded only when a user unfolds it, and nothing moves under the pointer. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SAMPLE, startProduct, until } from "./product.mjs";

const QUERY = "reed tongue tuning";
const SECTIONS = ["tuning the low reeds", "tuning the middle reeds", "tuning the high reeds"];
const LONG_NOTE = SECTIONS.map((words) => `## ${words}\n\n${`Patience with ${words} pays, one scratch at a time. `.repeat(30)}\n`).join("\n");

const product = await startProduct({ from: SAMPLE, notes: { "Inbox/Reeds.md": LONG_NOTE }, viewport: { width: 1000, height: 500 } });
const { host, page } = product;

describe("further passages", () => {
  /** The first row that has further passages, of a fresh search. */
  async function rowToUnfold() {
    await product.search(QUERY);
    const row = product.pane.locator(".quarry-hit", { has: page.locator(".quarry-unfold:not(.is-hidden)") }).first();
    const path = (await row.locator(".quarry-title").getAttribute("title")) ?? "";
    return { row, path, more: row.locator(".quarry-unfold"), line: row.locator(".quarry-more"), passages: row.locator(".quarry-others .quarry-passage") };
  }

  /**
   * Do something while the sidecar answers nothing.
   *
   * @param {() => Promise<void>} act
   */
  async function whileTheSidecarIsSlow(act) {
    const { pid } = await product.sidecar();
    process.kill(pid, "SIGSTOP");
    try {
      await act();
    } finally {
      process.kill(pid, "SIGCONT");
    }
  }

  test("unfold by mouse, open where they stand, and fold again", async () => {
    const { row, path, more, passages } = await rowToUnfold();
    const count = Number.parseInt(await more.innerText(), 10);
    await more.click();
    await passages.nth(count - 1).waitFor();
    await passages.first().click();
    await product.opened(path, ({ flashed }) => flashed.length > 0);
    await more.click();

    assert.equal(await row.getByRole("option").count(), 1);
  });

  test("that are slow are announced as loading, and arrive without moving the row under the pointer", async () => {
    const { row, more, passages } = await rowToUnfold();
    const below = row.locator("xpath=following-sibling::*[1]").locator(".quarry-option").first();
    let before = 0;
    await whileTheSidecarIsSlow(async () => {
      await more.click();
      await row.locator(".quarry-more", { hasText: /^Loading \d+ more passages?…$/ }).waitFor();
      assert.equal(await row.getAttribute("aria-busy"), "true");
      await below.hover();
      before = await topOf(below);
    });
    await passages.first().waitFor();
    await until(async () => (await row.getAttribute("aria-busy")) === null, "the row is not busy any more");

    assert.ok(Math.abs((await topOf(below)) - before) <= 1, "scroll positions are whole pixels, rows are not");
  });

  test("leave the count that was pressed where it was", async () => {
    const { more, line, passages } = await rowToUnfold();
    await more.scrollIntoViewIfNeeded();
    const before = await topOf(more);
    await more.click();
    await passages.first().waitFor();

    assert.equal(await topOf(more), before);
    assert.equal(await line.innerText(), "Show less");
  });

  test("follow the note when it changes while they are shown", async () => {
    await product.search("patience with tuning reeds");
    const others = product.pane.locator(".quarry-hit").first().locator(".quarry-others");
    await product.input.press("ArrowRight");
    await others.locator(".quarry-passage").nth(1).waitFor();
    await host.write("Inbox/Reeds.md", LONG_NOTE.replaceAll("Patience with", "Patience while"));
    await others.locator(".quarry-snippet", { hasText: "Patience while" }).first().waitFor();

    assert.equal(await others.locator(".quarry-passage").count(), 2);
  });

  test("that cannot be loaded say so, and can be loaded when the engine is back", async () => {
    const { row, more, passages } = await rowToUnfold();
    const { pid } = await product.sidecar();
    process.kill(pid, "SIGSTOP");
    await more.click();
    // The next engine takes the line away when it answers, so it is looked for from before it is there.
    const failure = row.locator(".quarry-more", { hasText: /^More passages could not be loaded\..*Try again/ }).waitFor();
    process.kill(pid, "SIGKILL");
    await failure;
    // Answers of an engine that has just started are replaced until its model is loaded, which may fold the row again.
    const count = await until(async () => {
      if (await row.locator('.quarry-option[data-expanded="false"]').count()) await more.click();
      return passages.count();
    }, "the passages are loaded");
    host.takeErrors(); // the browser reports the lost connection

    assert.ok(count > 0);
  });
});

/** @param {import("playwright-core").Locator} locator */
async function topOf(locator) {
  return locator.evaluate((el) => el.getBoundingClientRect().top);
}
