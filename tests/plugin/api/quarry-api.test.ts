import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const TYPES = fileURLToPath(new URL("../../../plugin/api/quarry-api.d.ts", import.meta.url));

const GOOD = `
  import type { QuarryApi } from "./quarry-api";
  export async function titles(quarry: QuarryApi | undefined, signal: AbortSignal): Promise<readonly string[]> {
    const reply = await quarry?.search("rate limit folder:Work", { limit: 5, mode: "keyword", signal });
    if (!reply) return [];
    if (!reply.ok) return [reply.error.message, reply.error.kind];
    const off = quarry?.onReady(() => undefined);
    off?.();
    const near = await quarry?.related("Plan.md", { limit: 3 });
    return [...reply.value.hits.map(({ path, confidence, passage }) => path + confidence + (passage?.snippet ?? "")), ...(near?.ok ? near.value.map(({ title }) => title) : [])];
  }
`;
const WRONG = `
  import type { QuarryApi } from "./quarry-api";
  export const wrong = (quarry: QuarryApi) => [quarry.search("x", { mode: "fast" }), quarry.token, quarry.search("x").then((reply) => reply.value)];
`;

test("the types stand alone in another plugin, take what the documentation shows, and refuse what the API has not", () => {
  const folder = mkdtempSync(join(tmpdir(), "quarry-types-"));
  copyFileSync(TYPES, join(folder, "quarry-api.ts")); // as a source file it is checked, and the library's declarations need not be
  writeFileSync(join(folder, "good.ts"), GOOD);
  writeFileSync(join(folder, "wrong.ts"), WRONG);
  const names = ["quarry-api.ts", "good.ts", "wrong.ts"];
  const program = ts.createProgram(names.map((name) => join(folder, name)), {
    strict: true, noEmit: true, skipLibCheck: true, types: [], lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ES2022,
  });
  const told = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({ name: names.find((name) => file?.fileName.endsWith(`/${name}`)), text: ts.flattenDiagnosticMessageText(messageText, " ") }));
  rmSync(folder, { recursive: true });

  expect(told.filter(({ name }) => name !== "wrong.ts")).toEqual([]);
  expect(told.map(({ text }) => text).join("\n")).toMatch(/"fast"[^]*'token' does not exist[^]*'value' does not exist/);
});
