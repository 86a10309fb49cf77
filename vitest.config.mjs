// Unit tests of the plugin and the wire. `obsidian` is types only, so its place is taken by obsidian-test-mocks; files
// that need a DOM say so in their first line (`@vitest-environment jsdom`), all others run in plain Node. A module has a test
// of its own, or is tested through the one that uses it; `main.ts` only connects the others, which the end-to-end tests
// check in a real browser, and `protocol/messages.ts` is generated.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: { obsidian: "obsidian-test-mocks/obsidian" },
  },
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["tests/plugin/**/*.test.ts", "tests/wire/**/*.test.ts", "tests/release/**/*.test.mjs"],
    restoreMocks: true,
    // A context of its own for each file, as a process has, for a third of the CPU time: Node and jsdom are loaded once.
    pool: "vmThreads",
    // Real child processes and sockets are started; two cores are shared with other checks.
    testTimeout: 20_000,
  },
});
