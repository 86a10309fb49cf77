/** The two example sessions of docs/PROTOCOL.md work against the real sidecar, word for word. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
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

  test("the sessions in Python and in JavaScript print the titles found", async () => {
    const python = await run(program("python"), [example("session.py"), sidecar.path, "keel"], env);
    const javascript = await run(process.execPath, [example("session.mjs"), sidecar.path, "keel"], env);

    assert.equal(python.code, 0, python.stderr);
    assert.equal(javascript.code, 0, javascript.stderr);
    assert.deepEqual(titles(python.stdout).slice(0, 2).sort(), ["Keel, laid down", "The boat"]);
    assert.deepEqual(titles(javascript.stdout), titles(python.stdout));
  });
});

/** @param {string} stdout */
const titles = (stdout) => stdout.split(/\r?\n/).filter(Boolean);
