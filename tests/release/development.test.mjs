// The commands for developers: what they run, and what they put into a vault.
import { lstatSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { PYTHON, ROOT, SIDECAR, SetupError } from "../../sidecar/dev/environment.mjs";
import { commands } from "../../sidecar/dev/one.mjs";
import { placePlugin, vaultFolder } from "../../sidecar/dev/vault_plugin.mjs";

const FILES = ["manifest.json", join("plugin", "styles.css")];

describe("placePlugin", () => {
  const vault = () => mkdtempSync(join(tmpdir(), "quarry-vault-"));

  test("links lead into the checkout", () => {
    const { folder, copied } = placePlugin(vault(), { files: FILES, link: true });

    expect(copied).toEqual([]);
    expect(lstatSync(join(folder, "styles.css")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, "manifest.json"))).toEqual(readFileSync(join(ROOT, "manifest.json")));
  });

  test("a system without links gets copies, which are named", () => {
    const refuse = () => {
      throw new Error("EPERM");
    };

    const { folder, copied } = placePlugin(vault(), { files: FILES, link: true, symlink: refuse });

    expect(copied).toEqual(["manifest.json", "styles.css"]);
    expect(lstatSync(join(folder, "styles.css")).isFile()).toBe(true);
  });

  test("a copy replaces an earlier link and not the file that it leads to", () => {
    const there = vault();
    const { folder } = placePlugin(there, { files: FILES, link: true });
    placePlugin(there, { files: FILES });
    writeFileSync(join(folder, "manifest.json"), "{}");

    expect(readFileSync(join(ROOT, "manifest.json"), "utf8")).not.toBe("{}");
  });

  test("a file is not a vault", () => {
    expect(vaultFolder(join(ROOT, "manifest.json")).error).toMatch(/is not a folder/);
    expect(vaultFolder(join(ROOT, "nowhere")).error).toMatch(/There is no folder/);
    expect(vaultFolder(ROOT)).toEqual({ vault: ROOT });
  });
});

describe("commands", () => {
  test("one Python test runs in the sidecar's environment, wherever the path was typed", () => {
    const folder = join(ROOT, "tests", "performance");

    expect(commands("py", ["test_code_size.py", "-k", "blank"], folder)).toEqual([
      [PYTHON, ["-m", "pytest", "-c", "pyproject.toml", join(folder, "test_code_size.py"), "-k", "blank"], SIDECAR],
    ]);
  });

  test("a browser test is run on a fresh build", () => {
    const [build, run] = commands("ts", ["tests/end_to_end/query.test.mjs"], ROOT);

    expect(build[1]).toContain("--production");
    expect(run[1]).toEqual(["--test", join(ROOT, "tests", "end_to_end", "query.test.mjs")]);
  });

  test("vitest gets a path below the root", () => {
    expect(commands("ts", ["emitter.test.ts"], join(ROOT, "tests", "plugin"))[0][1].slice(-1)).toEqual(["tests/plugin/emitter.test.ts"]);
  });

  test("another word shows the usage", () => {
    expect(() => commands("rb", [])).toThrow(SetupError);
  });
});
