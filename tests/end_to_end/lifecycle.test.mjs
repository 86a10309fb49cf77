/** A sidecar runs exactly while a client needs it, and leaves no process behind. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { afterEach, describe, test } from "node:test";
import { SAMPLE, isRunning, openProduct, startProduct, until } from "./product.mjs";

const OWN_FOLDER = join(".obsidian", "plugins", "quarry");
const LOOPS = 10;
const NOTES = {
  "Garden.md": "# Garden\n\nThe fig tree wants water in August.\n",
  "Boat.md": "# Boat\n\nThe keel was painted in spring.\n",
};

/** @type {string[]} */
const said = [];
const product = await startProduct({ notes: NOTES }, ({ page }) => page.on("console", (message) => said.push(message.text())));

describe("the sidecar of an open app", () => {
  test("the token stands in the discovery file and nowhere else", async () => {
    await product.search("keel");
    const { token, path, pid } = await product.sidecar();
    await product.host.runCommand("copy-diagnostics");
    await until(async () => (await product.host.notices()).length > 0, "the report is copied");
    said.push(await product.page.evaluate(() => navigator.clipboard.readText()));
    said.push(await product.page.evaluate(() => JSON.stringify(localStorage) + document.body.outerHTML + location.href));
    if (process.platform === "linux") for (const name of ["cmdline", "environ"]) said.push(readFileSync(`/proc/${pid}/${name}`, "latin1"));
    const holders = [product.vault.path, product.home.path].flatMap(filesBelow).filter((file) => readFileSync(file, "latin1").includes(token));

    assert.match(token, /^[0-9a-f]{64}$/);
    assert.deepEqual(holders, [path]);
    if (process.platform !== "win32") {
      assert.equal(statSync(path).mode & 0o777, 0o600);
      assert.equal(statSync(join(path, "..")).mode & 0o777, 0o700);
    }
    assert.deepEqual(said.filter((text) => text.includes(token)), []);
  });

  test("a killed sidecar is told of in the pane, comes back by itself and answers again", async () => {
    await product.search("fig tree");
    const { pid } = await product.sidecar();
    const noticesBefore = await product.host.notices();

    process.kill(pid, "SIGKILL");
    await product.shows("disconnected");
    const words = await product.panelWords();
    const rowsMeanwhile = await product.rows();
    await product.live();
    await product.shows("results");
    const successor = await product.sidecar();

    assert.equal(words.title, "The search engine stopped");
    assert.equal(words.actions[0], "Restart");
    assert.equal(rowsMeanwhile[0]?.path, "Garden.md", "the rows stay while it is away");
    assert.notEqual(successor.pid, pid);
    assert.equal((await product.search("keel"))[0]?.path, "Boat.md");
    // The pane says it, and it mends itself: a notice on top would only be in the way.
    assert.equal((await product.host.notices()).length, noticesBefore.length);
  });

  test("what was saved while the sidecar was away is found when it is back", async () => {
    process.kill((await product.sidecar()).pid, "SIGKILL");
    await product.shows("disconnected");

    await product.host.write("Boat.md", "# Boat\n\nThe mast is new: larchwick.\n");
    await product.host.rename("Garden.md", "Orchard.md");
    await product.live();
    await product.search("larchwick");

    await product.rowsUntil((rows) => rows.some(({ path, words }) => path === "Boat.md" && words.includes("larchwick")), "the new word is found");
    await product.search("fig tree");
    await product.rowsUntil((rows) => rows[0]?.path === "Orchard.md" && rows.every(({ path }) => path !== "Garden.md"), "the new name is found");
  });

  test("the button starts a killed sidecar at once", async () => {
    const { pid } = await product.sidecar();
    process.kill(pid, "SIGKILL");
    await product.shows("disconnected");

    await product.panel.getByRole("button", { name: "Restart" }).click();
    await product.live();

    assert.notEqual((await product.sidecar()).pid, pid);
    assert.equal(product.host.children().length, 1);
  });

  test("the app started again finds the pane and its query where they were", async () => {
    await product.search("mast");

    await product.host.restart();
    await product.live();
    await product.shows("results");

    assert.equal(await product.input.inputValue(), "mast");
    assert.equal((await product.rows())[0]?.path, "Boat.md");
  });

  test(`${LOOPS} times off and on leave no process and nothing twice`, async () => {
    const { host, page } = product;
    for (let loop = 0; loop < LOOPS; loop += 1) {
      await host.disable();
      await host.enable();
      if (loop % 2 === 1) continue; // and turned off again while it starts
      await product.openPane();
      await product.live();
    }
    await product.openPane();
    await product.live();

    assert.equal(await page.locator(".side-dock-ribbon-action").count(), 1);
    assert.equal((await host.statusBar()).length, 1);
    assert.equal(await page.locator(".quarry-pane").count(), 1);
    assert.equal((await host.commands()).length, new Set((await host.commands()).map(({ id }) => id)).size);
    await until(() => ofThisTest(product).length <= 1, "only one process is left");
    await host.disable();
    await until(() => host.children().length === 0 && ofThisTest(product).length === 0, "the last one leaves");
    assert.equal(await page.locator(".side-dock-ribbon-action").count(), 0);
    assert.deepEqual(await host.statusBar(), []);
    // A socket that is connecting when its sidecar is stopped fails, and only the browser can say so.
    assert.deepEqual(host.takeErrors().filter((error) => !/WebSocket connection to '\S+' failed/.test(error)), []);
  });
});

describe("the sidecar's beginning and end", () => {
  /** @type {import("./product.mjs").Product} */
  let product;

  afterEach(() => product.close());

  test("closing the app's window ends the sidecar", async () => {
    product = await openProduct({ notes: NOTES });
    await product.start();
    const { pid, path } = await product.sidecar();

    await product.page.close();

    await until(() => !isRunning(pid), "the sidecar leaves");
    assert.ok(!existsSync(path), "its discovery file goes with it");
  });

  test("a sidecar that a tool started is used by the plugin and outlives it", async () => {
    product = await openProduct({ notes: NOTES });
    await product.cli("search", "keel");
    const { pid } = await product.sidecar();

    await product.start();
    const rows = await product.search("keel");
    const started = await stillRunning(product.host.children());
    await product.host.disable();
    const answer = await product.cli("search", "keel", "--json");

    assert.equal(rows[0]?.path, "Boat.md");
    assert.deepEqual(started, []);
    assert.equal((await product.sidecar()).pid, pid);
    assert.equal(JSON.parse(answer.stdout).hits[0].path, "Boat.md");
  });

  test("when a tool's sidecar is killed under the plugin, the plugin starts its own", async () => {
    product = await openProduct({ notes: NOTES });
    await product.cli("search", "keel");
    const { pid } = await product.sidecar();
    await product.start();

    process.kill(pid, "SIGKILL");
    await until(() => product.host.children().some((child) => child === product.discovery()?.pid), "the plugin's own serves");
    await product.live();
    product.host.takeErrors(); // the browser reports the lost connection

    assert.equal((await product.search("keel"))[0]?.path, "Boat.md");
  });

  test("a tool asks the plugin's sidecar while that runs, and starts its own when it has gone", async () => {
    product = await openProduct({ notes: NOTES });
    await product.start();
    const { pid } = await product.sidecar();

    const during = await product.cli("search", "keel", "--json");
    const pidDuring = (await product.sidecar()).pid;
    await product.host.disable();
    await until(() => !isRunning(pid), "the plugin's sidecar leaves");
    const afterwards = await product.cli("search", "keel", "--json");

    assert.equal(JSON.parse(during.stdout).hits[0].path, "Boat.md");
    assert.equal(pidDuring, pid);
    assert.equal(JSON.parse(afterwards.stdout).hits[0].path, "Boat.md");
    assert.notEqual((await product.sidecar()).pid, pid);
  });

  test("a session writes nothing into the vault but the plugin's own folder", async () => {
    product = await openProduct({ from: SAMPLE });
    const before = listing(product.vault.path);
    await product.start();
    await product.search("bellows");
    await product.input.press("Enter");
    await product.searchBy("keyword");
    await product.search("rye");
    await product.cli("status");
    await product.host.reload();
    await product.openPane();
    await product.live();

    assert.deepEqual(listing(product.vault.path), before);
  });
});

/**
 * Processes of this test's sidecar that run, by the folder that only this test's know. On Linux all of them; elsewhere
 * those that the plugin started.
 *
 * @param {import("./product.mjs").Product} product
 * @returns {number[]}
 */
function ofThisTest({ home, host }) {
  if (process.platform !== "linux") return host.children();
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number);
  return pids.filter((pid) => isRunning(pid) && environmentOf(pid).includes(`QUARRY_HOME=${home.path}\0`));
}

/** @param {number} pid */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return ""; // gone, or another user's
  }
}

/**
 * Those of some processes that do not leave in a moment.
 *
 * @param {readonly number[]} pids
 */
async function stillRunning(pids) {
  await until(() => pids.every((pid) => !isRunning(pid)), "programs that found a sidecar running leave");
  return pids.filter(isRunning);
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/**
 * Every file of a vault with size and time, but for the plugin's own folder.
 *
 * @param {string} vault
 */
function listing(vault) {
  const paths = filesBelow(vault).map((path) => relative(vault, path));
  return paths
    .filter((path) => !path.startsWith(OWN_FOLDER + sep))
    .sort()
    .map((path) => {
      const { size, mtimeMs } = statSync(join(vault, path));
      return `${path} ${size} ${mtimeMs}`;
    });
}
