import { describe, expect, test } from "vitest";
import { consentIn, programPaths } from "../../../plugin/sidecar/programs";

describe("program paths", () => {
  const mac = { platform: "darwin", env: { PATH: "/usr/bin:/bin" }, home: "/Users/ada" };
  const windows = {
    platform: "win32",
    env: { Path: "C:\\Tools;relative;D:\\bin\\", LOCALAPPDATA: "C:\\Users\\ada\\AppData\\Local" },
    home: "C:\\Users\\ada",
  };

  describe("where quarry may be", () => {
    test("the tool folders come before a bare PATH", () => {
      expect(programPaths(mac, null)).toEqual([
        "/Users/ada/.local/bin/quarry",
        "/opt/homebrew/bin/quarry",
        "/usr/local/bin/quarry",
        "/home/linuxbrew/.linuxbrew/bin/quarry",
        "/usr/bin/quarry",
        "/bin/quarry",
      ]);
    });

    test("and may be given relative to the home folder", () => {
      expect(programPaths(mac, "~/bin/quarry")).toEqual(["/Users/ada/bin/quarry"]);
    });

    test("the folders configured for uv and pipx come first", () => {
      const [first, second] = programPaths({ ...mac, env: { PIPX_BIN_DIR: "/p", UV_TOOL_BIN_DIR: "/u" } }, null);

      expect([first, second]).toEqual(["/u/quarry", "/p/quarry"]);
    });

    test("no place is tried twice", () => {
      const places = programPaths({ ...mac, env: { PATH: "/usr/local/bin:/usr/local/bin/:/usr/local/bin" } }, null);

      expect(places.filter((place) => place === "/usr/local/bin/quarry")).toHaveLength(1);
    });

    test("relative entries of PATH never count", () => {
      const places = programPaths({ ...mac, env: { PATH: ".::bin:./tools:/usr/bin" } }, null);

      expect(places.every((place) => place.startsWith("/"))).toBe(true);
    });

    test("on Windows it is an exe, whatever the case of PATH", () => {
      const places = programPaths(windows, null);

      expect(places[0]).toBe("C:\\Users\\ada\\.local\\bin\\quarry.exe");
      expect(places).toContain("C:\\Tools\\quarry.exe");
      expect(places).toContain("D:\\bin\\quarry.exe");
      expect(places).toContain("C:\\Users\\ada\\AppData\\Local\\Programs\\Python\\Python312\\Scripts\\quarry.exe");
      expect(places.some((place) => place.startsWith("relative"))).toBe(false);
    });
  });
});

describe("consent", () => {
  function consentOver(stored: unknown): { consent: ReturnType<typeof consentIn>; stored: () => unknown } {
    let value = stored;
    return { consent: consentIn({ read: () => value, write: (answers) => { value = answers; } }), stored: () => value };
  }

  test("nobody was asked about a path at first; an answer concerns that path alone", () => {
    const { consent } = consentOver(null);
    consent.set("/a/quarry", true);
    consent.set("/b/quarry", false);

    expect(["/a/quarry", "/b/quarry", "/c/quarry"].map((path) => consent.of(path))).toEqual([true, false, null]);
  });

  test.each([["text"], [7], [["/a/quarry"]], [{ "/a/quarry": "yes" }]])("what storage holds otherwise is no consent: %j", (stored) => {
    const { consent } = consentOver(stored);

    expect(["/a/quarry", "0", "constructor"].map((path) => consent.of(path))).toEqual([null, null, null]);
  });
});
