/** Node, child processes and the browser behave in the page as they do in Obsidian's window. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { findBrowser } from "./browser.mjs";
import { copyVault, openHost, temporaryFolder } from "./harness.mjs";
import { DEAF, ECHO, NOTES, PLUGIN, echo, isAlive } from "./host/fixture-plugin/fixture.mjs";

// A hang is a failure; nothing here takes a tenth of this.
describe("the page's browser and Node", { timeout: 120_000 }, () => {
  /** @type {import("./harness.mjs").Host} */
  let host;
  const vault = copyVault(undefined, NOTES);
  const home = temporaryFolder("home");

  before(async () => {
    host = await openHost({ vault: vault.path, plugin: PLUGIN, env: { QUARRY_HOME: home.path } });
    await host.enable();
  });

  after(async () => {
    await host.close();
    vault.remove();
    home.remove();
  });

  test("a websocket carries the Origin of Obsidian", async () => {
    const server = createServer();
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const origin = new Promise((resolve) =>
      server.on("upgrade", (request, socket) => {
        resolve(request.headers.origin);
        socket.destroy();
      }),
    );

    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    await host.page.evaluate((address) => void new WebSocket(address), `ws://127.0.0.1:${port}`);

    assert.equal(await origin, "app://obsidian.md");
    server.close();
    host.takeErrors(); // the handshake was cut short
  });

  test("a string never becomes HTML", async () => {
    const refusal = await host.page.evaluate(() => {
      try {
        document.createElement("div").innerHTML = "<b>bold</b>";
        return "assigned";
      } catch (error) {
        return String(error);
      }
    });

    assert.match(refusal, /TrustedHTML/);
    assert.ok(host.takeErrors().some((error) => error.includes("TrustedHTML")));
  });

  test("an image from another machine is refused and reported", async () => {
    await host.page.evaluate(
      () =>
        new Promise((resolve) => {
          document.body.createEl("img", { attr: { src: "https://example.invalid/pixel.png" } }).onerror = resolve;
        }),
    );

    assert.ok(host.takeErrors().some((error) => error.includes("example.invalid")));
  });

  test("a child process is a real one, with the environment of the test", async () => {
    const { pid, text } = await echo(host, `process.stdout.write(process.env.QUARRY_HOME + " "); ${ECHO}`);

    assert.ok(isAlive(pid));
    assert.deepEqual(host.children(), [pid]);
    assert.ok(text.startsWith(home.path));
  });

  test("a child's output comes whole and before its end, even to a late listener", async () => {
    const { events, length } = await host.page.evaluate(async (program) => {
      const { spawn } = Reflect.get(window, "require")("child_process");
      const child = spawn(program, ["-e", 'process.stdout.write("x".repeat(300000))']);
      /** @type {string[]} */
      const events = [];
      for (const name of ["spawn", "exit", "close"]) child.on(name, () => events.push(name));
      await new Promise((resolve) => child.once("exit", resolve));
      let length = 0;
      child.stdout.on("data", (/** @type {Uint8Array} */ bytes) => (length += bytes.length));
      await new Promise((resolve) => child.stdout.once("end", resolve));
      if (!events.includes("close")) await new Promise((resolve) => child.once("close", resolve));
      return { events, length };
    }, process.execPath);

    assert.deepEqual(events, ["spawn", "exit", "close"]);
    assert.equal(length, 300_000);
  });

  test("files are read with Node's values and errors", async () => {
    const read = await host.page.evaluate(async (folder) => {
      const fs = Reflect.get(window, "require")("node:fs");
      const missing = await fs.promises.readFile(`${folder}/missing`).catch((/** @type {NodeJS.ErrnoException} */ error) => error.code);
      const { size, mtimeMs } = fs.statSync(`${folder}/Windows.md`);
      return {
        missing,
        size,
        isNumber: typeof mtimeMs === "number",
        bytes: Array.from(fs.readFileSync(`${folder}/Windows.md`).subarray(0, 7)),
        text: await fs.promises.readFile(`${folder}/Windows.md`, "utf8"),
        folders: fs.readdirSync(folder, { withFileTypes: true }).filter((/** @type {import("node:fs").Dirent} */ entry) => entry.isDirectory() && !entry.name.startsWith(".")).length,
      };
    }, vault.path);

    assert.deepEqual(read, { missing: "ENOENT", size: 22, isNumber: true, bytes: [102, 105, 114, 115, 116, 13, 10], text: NOTES["Windows.md"], folders: 2 });
  });

  test("a program that does not exist is an error event with its code", async () => {
    const failure = await host.page.evaluate(() => Reflect.get(window, "fixture").echo("/nonexistent/program", []).catch((/** @type {NodeJS.ErrnoException} */ error) => error.code));

    assert.equal(failure, "ENOENT");
  });
});

test("closing the host ends its children, and names those that would not leave", async () => {
  const vault = copyVault(undefined, NOTES);
  const host = await openHost({ vault: vault.path, plugin: PLUGIN });
  await host.enable();
  const willing = await echo(host, ECHO);
  const deaf = await echo(host, DEAF);

  const { killed } = await host.close({ patienceMs: 3000 });

  assert.deepEqual(killed, [deaf.pid]);
  assert.ok(!isAlive(willing.pid));
  assert.ok(!isAlive(deaf.pid));
  vault.remove();
});

test("a browser that is named but missing is said in one sentence", () => {
  assert.throws(() => findBrowser({ QUARRY_BROWSER: "/nonexistent/chromium" }), /QUARRY_BROWSER is \/nonexistent\/chromium, which is no program/);
});
