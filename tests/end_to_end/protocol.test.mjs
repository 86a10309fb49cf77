/** The two example sessions of docs/PROTOCOL.md work against the real sidecar, word for word. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { program } from "../../sidecar/dev/environment.mjs";
import { copyVault, temporaryFolder } from "./harness.mjs";
import { ENGINE, findSidecar, isRunning, run, until } from "./product.mjs";

const NOTES = {
  "Boat.md": "# The boat\n\nThe keel was painted in spring.\n",
  "Keel.md": "# Keel, laid down\n\nHow a keel is laid.\n",
  "Tea.md": "# Tea\n\nTwo spoons, four minutes.\n",
};

/** @param {string} name */
const example = (name) => fileURLToPath(new URL(`../wire/${name}`, import.meta.url));

describe("the socket, for any program", () => {
  const vault = copyVault(undefined, NOTES);
  const home = temporaryFolder("home");
  const env = { QUARRY_HOME: home.path };
  /** @type {import("./product.mjs").Sidecar} */
  let sidecar;

  before(async () => {
    const { code, stderr } = await run(ENGINE, ["index", vault.path], env);
    assert.equal(code, 0, stderr);
    await run(ENGINE, ["status", "--vault", vault.path], env);
    sidecar = await until(() => findSidecar(home.path), "a sidecar serves the vault");
  });

  after(async () => {
    process.kill(sidecar.pid);
    await until(() => !isRunning(sidecar.pid), "the sidecar ends when it is told to");
    vault.remove();
    home.remove();
  });

  test("the session in Python prints the titles found", async () => {
    const { code, stdout, stderr } = await run(program("python"), [example("session.py"), sidecar.path, "keel"], env);

    assert.equal(code, 0, stderr);
    assert.deepEqual(titles(stdout).slice(0, 2).sort(), ["Keel, laid down", "The boat"]);
  });

  test("the session in JavaScript prints the same", async () => {
    const python = await run(program("python"), [example("session.py"), sidecar.path, "keel"], env);
    const { code, stdout, stderr } = await run(process.execPath, [example("session.mjs"), sidecar.path, "keel"], env);

    assert.equal(code, 0, stderr);
    assert.deepEqual(titles(stdout), titles(python.stdout));
  });

  test("the same question gets the same bytes", async () => {
    const ask = () => talk(sidecar, [{ method: "search", params: { query: "keel", detail: "full" } }]);

    assert.deepEqual(await ask(), await ask());
  });

  test("a method of a later version is refused by its name, and the connection goes on", async () => {
    const [unknown, known] = await talk(sidecar, [{ method: "foretell", params: {} }, { method: "search", params: { query: "keel" } }]);

    assert.equal(JSON.parse(unknown ?? "").error.code, -32601);
    assert.equal(JSON.parse(known ?? "").result.hits.length > 0, true);
  });

  test("an unknown parameter is refused by its name", async () => {
    const [answer] = await talk(sidecar, [{ method: "search", params: { query: "keel", lmit: 3 } }]);

    assert.match(JSON.parse(answer ?? "").error.message, /lmit/);
  });
});

/** @param {string} stdout */
const titles = (stdout) => stdout.split(/\r?\n/).filter(Boolean);

/**
 * Ask one question after the other on a connection of their own.
 *
 * @param {import("./product.mjs").Sidecar} sidecar
 * @param {readonly { method: string, params: object }[]} questions
 * @returns {Promise<string[]>} the answers as they came, without what was said unasked
 */
async function talk({ port, token }, questions) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { perMessageDeflate: false });
  const hello = { method: "initialize", params: { token, protocol: 1, client: { name: "test" } } };
  /** @type {string[]} */
  const answers = [];
  await new Promise((resolve, reject) => {
    const asked = [hello, ...questions];
    const askNext = () => {
      const question = asked[answers.length];
      if (question) socket.send(JSON.stringify({ jsonrpc: "2.0", id: answers.length + 1, ...question }));
      else resolve(undefined);
    };
    socket.on("open", askNext);
    socket.on("message", (data) => {
      if (JSON.parse(String(data)).id === undefined) return;
      answers.push(String(data));
      askNext();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the sidecar hung up")));
  });
  socket.close();
  return answers.slice(1);
}
