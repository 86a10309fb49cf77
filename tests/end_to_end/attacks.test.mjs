/** Hostile notes stay text, the socket refuses hostile pages, and no credential crosses it. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";
import { WebSocket } from "ws";
import { OBSIDIAN_ORIGIN, installBrowser } from "./browser.mjs";
import { QUARRY, copyVault, temporaryFolder } from "./harness.mjs";
import { COMMON_WORD, PAYLOADS, RUNNABLE_NOTE, credentials, hostileNotes, loadingNote } from "./hostile.mjs";
import { ENGINE, findSidecar, isRunning, openProduct, run, until } from "./product.mjs";

describe("hostile notes", () => {
  /** @type {import("./product.mjs").Product} */
  let product;

  before(async () => {
    // A hundred rows, so that every payload is among them.
    product = await openProduct({ notes: { ...hostileNotes(), "Runnable.md": RUNNABLE_NOTE }, data: { limit: 100 } });
    await product.start();
  });

  after(() => product.close()); // fails if Trusted Types refused something, because nothing may be tried

  const isHarmed = () => product.page.evaluate(() => Reflect.has(window, "__pwned"));

  test("every payload is drawn as text: as it is in a name, without its tags below", async () => {
    await product.searchBy("keyword");
    await product.search(COMMON_WORD);
    const rows = await product.rowsUntil((all) => all.length >= PAYLOADS.length, "all payloads are rows");
    for (const more of await product.pane.locator(".quarry-unfold:not(.is-hidden)").all()) await more.click();
    const below = (/** @type {string} */ payload) => {
      const row = rows.find(({ path }) => path.endsWith(` ${PAYLOADS.indexOf(payload)}.md`));
      return [row?.trail, row?.snippet.replace(/ and a.*|…$/, "")];
    };
    const beside = `The word ${COMMON_WORD} beside`;

    assert.equal(rows.length, PAYLOADS.length);
    assert.ok(PAYLOADS.length >= 40);
    assert.deepEqual(rows.map(({ title }) => `Hostile/${title}.md`), rows.map(({ path }) => path));
    assert.deepEqual(below("<script>window.__pwned=1</script>"), ["Under window.__pwned=1", `${beside} window.__pwned=1`]);
    for (const tag of ["<img src=x onerror=window.__pwned=1>", "<svg onload=window.__pwned=1>", "<body onload=window.__pwned=1>"]) assert.deepEqual(below(tag), ["Under", beside]);
    assert.deepEqual(below("&lt;img src=x onerror=window.__pwned=1&gt;"), ["Under <img src=x onerror=window.__pwned=1>", `${beside} <img src=x onerror=window.pwned=1>`]);
    assert.deepEqual(below("{{constructor.constructor('window.__pwned=1')()}}")[0], "Under {{constructor.constructor('window.__pwned=1')()}}");
    assert.deepEqual(await strangeElements(product.page), []);
    assert.equal(await isHarmed(), false);
  });

  test("a payload as query, in history, menu, notice and opened note stays text", async () => {
    const { page, host } = product;
    const [first = ""] = PAYLOADS;
    for (const payload of PAYLOADS.slice(0, 12)) await product.search(payload);
    await product.search(`${COMMON_WORD} "${PAYLOADS[6]}"`);
    await product.pane.getByRole("option").first().hover();
    await product.pane.getByRole("option").first().click({ button: "right" });
    await page.locator(".menu-item", { hasText: "Copy passage" }).click();
    await product.input.press("Enter");
    await until(() => host.activeNote(), "the note is opened");
    await product.input.fill(first);
    await product.answered();
    await product.input.fill("");
    await host.openUri(`obsidian://quarry?query=${encodeURIComponent(first)}`);
    await product.answered();

    assert.deepEqual(await strangeElements(page), []);
    assert.equal(await isHarmed(), false);
  });

  test("a note is opened by its path in the vault, whatever that looks like", { skip: process.platform === "win32" && "Windows has no such file names" }, async () => {
    const path = "Hostile/javascript:window.__pwned=1.md";
    await product.host.write(path, "An addressish note.\n");
    await product.search("addressish");
    await product.rowsUntil((rows) => rows[0]?.path === path, "the note is a row");
    await product.input.press("Enter");

    assert.equal((await product.opened(path)).path, path);
    assert.equal(await isHarmed(), false);
  });

  test("blocks that other plugins run are shown, not run", async () => {
    const [row] = await product.search("dataviewjs blockish");

    assert.equal(row?.path, "Runnable.md");
    assert.equal(await isHarmed(), false);
    assert.doesNotMatch(readFileSync(QUARRY.mainJs, "utf8"), /innerHTML|insertAdjacentHTML/);
  });

});

describe("a note that is looked at", () => {
  /** @type {string[]} */
  const requests = [];
  const web = createServer(({ url = "" }, response) => {
    requests.push(url);
    response.end();
  });
  /** @type {import("./product.mjs").Product} */
  let product;

  before(async () => {
    await new Promise((resolve) => web.listen(0, "127.0.0.1", () => resolve(undefined)));
    const { port } = /** @type {import("node:net").AddressInfo} */ (web.address());
    product = await openProduct({
      notes: { "Loading.md": loadingNote(`http://127.0.0.1:${port}`), "Embedded.md": "What is embedded.\n", "Board.md": "```quarry\nlookish\n```\n" },
      viewport: { width: 1280, height: 800 },
    });
    await product.start();
    await product.host.addRenderer(["dataviewjs", "dataview"]);
  });

  after(async () => {
    product.host.takeErrors(); // what the server sends is no picture
    await product.close();
    web.closeAllConnections();
    await new Promise((resolve) => web.close(resolve));
  });

  const rendered = () => product.page.evaluate(() => /** @type {string[]} */ (Reflect.get(window, "renderedByOthers")).join("\n"));
  const passage = () => product.page.locator(".quarry-peek-passage, .quarry-quick-preview").last();

  /** What there is of a passage besides the elements that text is made of, and all text. */
  async function drawn() {
    await passage().locator("strong", { hasText: "bold" }).waitFor();
    return passage().evaluate((el) => {
      const within = [...el.querySelectorAll("*")];
      const plain = new Set(["BLOCKQUOTE", "BR", "CODE", "DIV", "EM", "H1", "LI", "P", "PRE", "SPAN", "STRONG", "TABLE", "TBODY", "TD", "TH", "TR", "UL"]);
      const attributes = within.flatMap((one) => [...one.attributes].map(({ name }) => name));
      return { strange: within.map(({ tagName }) => tagName).filter((tag) => !plain.has(tag)), attributes: [...new Set(attributes)].sort(), text: el.textContent ?? "" };
    });
  }

  for (const [name, look, leave] of /** @type {[string, () => Promise<unknown>, () => Promise<unknown>][]} */ ([
    ["by Space", async () => product.press("ArrowDown", "ArrowUp", "Space"), async () => product.press("Escape")],
    [
      "in quick search",
      async () => {
        await product.host.runCommand("quick-search");
        await product.page.locator(".quarry-quick input").fill("lookish");
      },
      async () => product.page.keyboard.press("Escape"),
    ],
  ])) {
    test(`${name}, it runs, loads and embeds nothing`, async () => {
      await product.search("lookish");
      await look();
      const { strange, attributes, text } = await drawn();
      await leave();

      assert.deepEqual([strange, attributes], [[], ["class", "dir"]]);
      for (const kept of ["window.__pwned = 1", "TABLE file.name", "Embedded", "picture", "Callout", "☐ a task with a link"]) assert.ok(text.includes(kept), `${kept} is not shown`);
      assert.deepEqual([requests, await rendered()], [[], ""]);
    });
  }

  test("as a row of a live block, it runs and loads nothing", async () => {
    await product.host.openNote("Board.md", "preview");
    await product.page.locator(".quarry-block .quarry-title", { hasText: "Loading" }).waitFor();

    assert.deepEqual(requests, []);
    assert.doesNotMatch(await rendered(), /__pwned|TABLE/);
  });

  test("once it is opened, other plugins draw it, so that the above means something", async () => {
    await product.host.openNote("Loading.md", "preview");

    assert.match(await rendered(), /window\.__pwned = 1[^]*TABLE file\.name/);
  });
});

describe("hostile pages", () => {
  const vault = copyVault(undefined, { "Boat.md": "The keel.\n" });
  const home = temporaryFolder("home");
  /** @type {import("./product.mjs").Sidecar} */
  let sidecar;
  /** @type {import("playwright-core").Browser} */
  let browser;
  const web = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>a page</title>"));
  let webPort = 0;

  before(async () => {
    await run(ENGINE, ["status", "--vault", vault.path], { QUARRY_HOME: home.path });
    sidecar = await until(() => findSidecar(home.path), "a sidecar serves the vault");
    await new Promise((resolve) => web.listen(0, "127.0.0.1", () => resolve(undefined)));
    ({ port: webPort } = /** @type {import("node:net").AddressInfo} */ (web.address()));
    // A browser as anyone has it, except that the attacker's name leads to this machine: DNS rebinding in one step.
    browser = await chromium.launch({ executablePath: installBrowser(), args: ["--host-resolver-rules=MAP attacker.test 127.0.0.1"] });
  });

  after(async () => {
    await browser.close();
    web.closeAllConnections();
    await new Promise((resolve) => web.close(resolve));
    process.kill(sidecar.pid);
    await until(() => !isRunning(sidecar.pid), "the sidecar ends when it is told to");
    vault.remove();
    home.remove();
  });

  test("a program that has the token is let in, so that refusals below mean something", async () => {
    assert.match(await tryToken(sidecar, sidecar.token), /^result /);
  });

  /**
   * A page is opened and tries to speak to the sidecar, which has to refuse it, and not the browser.
   *
   * @param {string} address
   * @param {(page: import("playwright-core").Page) => Promise<unknown>} attempt
   */
  async function assertRefused(address, attempt) {
    const page = await browser.newPage();
    /** @type {string[]} */
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(address);
    const outcome = await attempt(page);
    await until(() => said.length > 0, "the browser says why");
    await page.close();

    assert.equal(outcome, "refused");
    assert.match(said.join("\n"), /Unexpected response code: 403/);
  }

  for (const [name, address, target] of /** @type {[string, () => string, string][]} */ ([
    ["a foreign page", () => `http://attacker.test:${webPort}/`, "127.0.0.1"],
    ["a page whose own name leads to this machine", () => `http://attacker.test:${webPort}/`, "attacker.test"],
    ["a page of another program on this machine", () => `http://127.0.0.1:${webPort}/`, "127.0.0.1"],
    ["the same by the name localhost", () => `http://localhost:${webPort}/`, "localhost"],
    ["a file", fileAddress, "127.0.0.1"],
  ])) {
    test(`${name} is refused, even with the token`, () =>
      assertRefused(address(), (page) => page.evaluate(knock, { url: `ws://${target}:${sidecar.port}/`, token: sidecar.token })));
  }

  test("a sandboxed frame is refused, even with the token", () =>
    assertRefused(`http://127.0.0.1:${webPort}/`, (page) =>
      page.evaluate(
        ([code, args]) =>
          new Promise((resolve) => {
            window.addEventListener("message", ({ data }) => resolve(data));
            const frame = document.createElement("iframe");
            frame.setAttribute("sandbox", "allow-scripts");
            frame.srcdoc = `<script>(${code})(${args}).then((outcome) => parent.postMessage(outcome, "*"))</script>`;
            document.body.append(frame);
          }),
        /** @type {const} */ ([knock.toString(), JSON.stringify({ url: `ws://127.0.0.1:${sidecar.port}/`, token: sidecar.token })]),
      ),
    ));

  test("a page's requests over HTTP read nothing", async () => {
    const page = await browser.newPage();
    await page.goto(`http://attacker.test:${webPort}/`);
    const outcomes = await page.evaluate(
      async ([port, token]) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { token } });
        const tries = [{}, { method: "POST", body }, { method: "POST", body, mode: "no-cors" }];
        return Promise.all(
          tries.map((init) =>
            fetch(`http://127.0.0.1:${port}/`, /** @type {RequestInit} */ (init)).then(
              async (response) => response.text(),
              () => "nothing",
            ),
          ),
        );
      },
      /** @type {const} */ ([sidecar.port, sidecar.token]),
    );
    await page.close();

    for (const outcome of outcomes) assert.match(outcome, /^(nothing)?$/);
  });

  /** @returns {string} the address of a page on disk */
  function fileAddress() {
    const path = join(home.path, "page.html");
    writeFileSync(path, "<!doctype html><title>a page</title>");
    return `file://${path.startsWith("/") ? "" : "/"}${path.replaceAll("\\", "/")}`;
  }
});

describe("credentials in notes", () => {
  test("none of them is in any frame between sidecar and plugin", async (t) => {
    const planted = credentials();
    const places = Object.entries(planted).map(([name, value], at) => [`Keys/${name}.md`, keyNote(name, value, at)]);
    const product = await openProduct({ notes: Object.fromEntries(places) });
    /** @type {string[]} */
    const frames = [];
    product.page.on("websocket", (socket) => {
      for (const event of /** @type {const} */ (["framereceived", "framesent"])) {
        socket.on(/** @type {"framereceived"} */ (event), ({ payload }) => frames.push(String(payload)));
      }
    });
    await product.start();
    for (const name of Object.keys(planted)) {
      await product.search(`${name} access kept`);
      await product.input.press("Enter");
    }
    for (const mode of /** @type {const} */ (["keyword", "semantic"])) {
      await product.searchBy(mode);
      await product.search("credential kept for access");
    }
    await product.host.openSettings();
    await until(() => frames.some((frame) => frame.includes('"settings/read"')), "the settings are read");
    const leaked = Object.entries(planted).flatMap(([name, value]) => secretsOf(value).filter((secret) => frames.some((frame) => frame.includes(secret))).map(() => name));
    await product.close();

    assert.ok(frames.some((frame) => frame.includes("[REDACTED:")), "redacted passages were sent");
    assert.ok(frames.some((frame) => frame.includes("Keys/github.md")));
    assert.deepEqual(leaked, []);
    t.diagnostic(`${frames.length} frames, ${frames.join("").length} characters, ${Object.keys(planted).length} credentials`);
  });
});

/**
 * @param {string} name
 * @param {string} value
 * @param {number} at which of the places it stands in
 */
function keyNote(name, value, at) {
  const line = value.split("\n").length === 1;
  const places = [
    `# ${name}\n\nThe ${name} credential kept for access is ${value}, do not lose it.\n`,
    `# ${name}\n\n| access | kept |\n|---|---|\n| ${name} | **${value}** |\n`,
    `---\ntitle: ${name} access\ncredential: "${value}"\n---\n\nKept for access.\n\n## ${value}\n\nUnder the ${name} heading.\n`,
    `# ${name}\n\nAccess kept:\n\n\`\`\`sh\nexport TOKEN=${value}\n\`\`\`\n`,
  ];
  return line ? (places[at % places.length] ?? "") : `# ${name}\n\nAccess kept:\n\n\`\`\`\n${value}\n\`\`\`\n`;
}

/**
 * The parts of a credential that must not be seen: of an address only its password, of a key each line of its body.
 *
 * @param {string} value
 */
function secretsOf(value) {
  const password = /:\/\/[^:]+:([^@]+)@/.exec(value)?.[1];
  if (password) return [password];
  return value.split("\n").filter((line) => !line.startsWith("-----"));
}

/**
 * Elements in the pane that it does not make itself, and handlers on any.
 *
 * @param {import("playwright-core").Page} page
 * @returns {Promise<string[]>}
 */
function strangeElements(page) {
  return page.evaluate(() => {
    const within = [...document.querySelectorAll(".quarry-list *, .quarry-panel *, .quarry-foot *, .notice *")];
    const strange = within.filter((el) => !["DIV", "SPAN", "BUTTON", "CODE", "KBD", "svg", "path", "rect", "circle", "line", "polyline"].includes(el.tagName));
    const armed = within.filter((el) => [...el.attributes].some(({ name, value }) => name.startsWith("on") || (name !== "title" && /^\s*javascript:/i.test(value))));
    return [...strange, ...armed].map((el) => el.outerHTML.slice(0, 120));
  });
}

/**
 * Try to speak to a sidecar from a page. Runs in the page, so it uses nothing from here.
 *
 * @param {{ url: string, token: string }} target
 * @returns {Promise<string>} "refused", "opened", or what came
 */
function knock({ url, token }) {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.onopen = () => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { token, protocol: 1, client: { name: "page" } } }));
    socket.onmessage = ({ data }) => resolve(`opened: ${String(data).slice(0, 200)}`);
    socket.onclose = ({ code }) => resolve(code === 1006 ? "refused" : `closed with ${code}`);
  });
}

/**
 * Show a token as Obsidian's window would.
 *
 * @param {import("./product.mjs").Sidecar} sidecar
 * @param {string} token
 * @returns {Promise<string>} "result ..." or "error CODE"
 */
function tryToken({ port }, token) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { origin: OBSIDIAN_ORIGIN, perMessageDeflate: false });
    socket.on("open", () => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { token, protocol: 1, client: { name: "test" } } })));
    socket.once("message", (data) => { // the answer; notifications may follow
      const { result, error } = JSON.parse(String(data));
      resolve(result ? `result ${result.vault.name}` : `error ${error.code}`);
      socket.close();
    });
    socket.on("error", reject);
  });
}
