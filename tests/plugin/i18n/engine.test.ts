import { describe, expect, test } from "vitest";
import { version } from "../../../manifest.json";
import { failureWords, installSteps, RELEASES, scopeWords, startFailureWords, type Step, updateSteps } from "../../../plugin/i18n/engine";
import { type StartFailure } from "../../../plugin/sidecar/failure";
import { answer, hit } from "../builders";

const WHEEL = `quarry_search-${version}-py3-none-any.whl`;

const commandsOf = (steps: readonly Step[]): readonly string[] => steps.flatMap(({ command }) => command ?? []);

describe("installing", () => {
  test.each([
    ["linux", ["uv"], [`uv tool install ~/Downloads/${WHEEL}`]],
    ["linux", ["uv", "pipx"], [`uv tool install ~/Downloads/${WHEEL}`]],
    ["darwin", ["pipx", "brew"], [`pipx install ~/Downloads/${WHEEL}`]],
    ["darwin", ["brew"], ["brew install uv", `uv tool install ~/Downloads/${WHEEL}`]],
    ["darwin", [], ["curl -LsSf https://astral.sh/uv/install.sh | sh", `uv tool install ~/Downloads/${WHEEL}`]],
    ["win32", ["winget"], ["winget install --id=astral-sh.uv -e", `uv tool install "$HOME\\Downloads\\${WHEEL}"`]],
    ["win32", [], ['powershell -ExecutionPolicy ByPass -c "irm https://astral.sh/uv/install.ps1 | iex"', `uv tool install "$HOME\\Downloads\\${WHEEL}"`]],
  ] as const)("on %s with %j: one way, from the download to the return", (platform, installers, commands) => {
    const steps = installSteps({ platform, installers });

    expect(commandsOf(steps)).toEqual(commands);
    expect([steps[0]?.text, steps[0]?.url]).toEqual([expect.stringContaining(WHEEL), RELEASES]);
    expect(steps.at(-1)?.text).toMatch(/^Come back here/);
  });

  test("a script from the network is never run unsaid, and a terminal is explained", () => {
    for (const platform of ["darwin", "linux", "win32"]) {
      const steps = installSteps({ platform, installers: [] });

      expect(steps[1]?.text).toMatch(/^Open (a terminal|Terminal|PowerShell): .*press/);
      expect(steps.find(({ command }) => command?.includes("astral.sh"))?.text).toMatch(/downloads the installer of uv.* from astral\.sh and runs it/);
      expect(steps.find(({ command }) => command?.startsWith("uv"))?.text).toMatch(/open it again/);
    }
  });
});

test("no command names a package that anybody could register", () => {
  const all = commandsOf([...updateSteps(), ...installSteps({ platform: "linux", installers: [] })]);

  expect(all.filter((command) => /\bquarry-search\b/.test(command))).toEqual([]);
  expect(updateSteps()[0]?.text).toContain(WHEEL);
});

describe("the line above rows found by names", () => {
  const found = answer({ hits: [hit("a.md")], byNames: { ignored: ["created:7d", "/x/"] } });

  test("what was searched, what was left out, and why", () => {
    const { text, tip, action } = scopeWords("missing", found);

    expect(text).toBe("Titles, headings and tags only, without created:7d /x/");
    expect(tip).toBe("The search engine is not installed.");
    expect(action).toEqual({ id: "engine-help", label: "Install" });
  });

  test("where nothing is found, the panel has the way out", () => {
    expect(scopeWords("missing", { ...found, hits: [] })).toMatchObject({ text: expect.stringMatching(/^No titles/) as string, action: null });
  });

  test("an engine that is on its way needs nothing", () => {
    expect([scopeWords("starting", found).action, scopeWords("live", found).action]).toEqual([null, null]);
  });
});

test.each<[StartFailure]>([
  [{ kind: "not-runnable", program: "/bin/quarry", message: "EACCES" }],
  [{ kind: "silent", afterMs: 10_000 }],
  [{ kind: "garbled", line: "Welcome." }],
  [{ kind: "exited", code: 1, signal: null }],
  [{ kind: "exited", code: null, signal: "SIGKILL" }],
  [{ kind: "vault-missing" }],
  [{ kind: "index-too-new" }],
  [{ kind: "unreachable" }],
])("%j has a sentence", (failure) => {
  expect(startFailureWords(failure)).toMatch(/\.$/);
});

test("a request that failed has a sentence", () => {
  expect(failureWords({ kind: "refused", reason: "busy", message: "the index is busy", next: "try again" })).toBe("The search engine is busy. Try again in a moment.");
  expect(failureWords({ kind: "refused", reason: "bad-settings", message: "fusion is 3", next: "correct the setting" })).toBe("Fusion is 3. Correct the setting.");
  expect(failureWords({ kind: "bad-query", message: "no closing quote", next: "close it", position: 3 })).toBe("No closing quote. Close it.");
  expect(failureWords({ kind: "bad-query", message: "a date", next: "", position: 3, sentence: { code: "query.too-deep", args: { limit: 32 } } })).toBe("Parentheses are nested more than 32 deep. Use fewer.");
  expect(failureWords({ kind: "timed-out", afterMs: 10_000 })).toContain("10 s");
});
