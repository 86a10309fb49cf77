// What is taken over from the repository's own texts. The files of a release are tried in tests/documentation/test_release.py.
import { expect, test } from "vitest";
import { aboutOf, portableSkill } from "../../sidecar/dev/release_formats.mjs";

const MANIFEST = { version: "1.2.0", name: "Quarry", author: "The Quarry authors" };
const PYPROJECT = '[project]\nname = "quarry-search"\ndescription = "Search notes."\nrequires-python = ">=3.11"\n\n[tool.x]\nname = "other"\n';
const SKILL = `---
name: search
description: Search the notes. Use it when they are named.
argument-hint: words
disable-model-invocation: true
allowed-tools: Bash(quarry search:*)
---

Search the vault \`\${user_config.vault}\` for: $ARGUMENTS

---

    quarry search --vault "\${user_config.vault}" --source claude-code words
`;

test("the package's description and its name in the registry are those of its own files", () => {
  const about = aboutOf({ pyproject: PYPROJECT, readme: "# Q\n\n<!-- mcp-name: io.github.someone/q -->\n\nText.\n", manifest: MANIFEST });

  expect(about).toMatchObject({ name: "quarry-search", description: "Search notes.", python: ">=3.11", registryName: "io.github.someone/q", version: "1.2.0" });
});

test("a portable skill has only the fields of the standard, and a name that no other program's skill has", () => {
  const { name, text } = portableSkill(SKILL);
  const [, header] = text.split("---\n");

  expect(name).toBe("quarry-search");
  expect(header.trim().split("\n").map((line) => line.split(": ")[0])).toEqual(["name", "description", "allowed-tools", "license", "compatibility"]);
  expect(header).toContain("name: quarry-search\ndescription: Search the notes. Use it when they are named.\nallowed-tools: Bash(quarry search:*)\n");
});

test("a portable skill names no vault and no client, and keeps the rest of its text", () => {
  const body = portableSkill(SKILL).text.split("---\n").slice(2).join("---\n");

  expect(body).toBe("\nSearch the vault for: what the user asks for\n\n---\n\n    quarry search words\n");
});
