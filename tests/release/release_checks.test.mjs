// What is compared before a release, and that the workflow runs what runs here. Building is tried in tests/documentation/test_release.py.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { notesOf, problems } from "../../sidecar/dev/release_checks.mjs";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const MANIFEST = {
  id: "quarry",
  name: "Quarry",
  version: "1.2.0",
  minAppVersion: "1.12.2",
  description: "Search your notes.",
  author: "The Quarry authors",
  isDesktopOnly: true,
};
const CHANGELOG = "# Changelog\n\n## 1.2.0 (2026-03-01)\n\n- New.\n\n## 1.1.0 (2026-02-01)\n\n- Old.\n";
const GOOD = { manifest: MANIFEST, versions: { "1.0.0": "1.12.2" }, package: {}, others: {}, changelog: CHANGELOG, tag: "1.2.0" };

test("files that agree have no problems", () => {
  expect(problems(GOOD)).toEqual([]);
});

test("this repository could be released, but for its day", () => {
  const json = (path) => JSON.parse(read(path));
  const plugin = "sidecar/agents/claude-code/.claude-plugin/plugin.json";

  expect(problems({ manifest: json("manifest.json"), versions: json("versions.json"), package: json("package.json"), others: { [plugin]: json(plugin) }, changelog: read("CHANGELOG.md"), tag: null })).toEqual([]);
});

test.each([
  ["a tag with a v", { tag: "v1.2.0" }, /The tag is v1\.2\.0/],
  ["a changelog of another version", { changelog: CHANGELOG.replace("1.2.0", "1.3.0") }, /begins with 1\.3\.0/],
  ["a changelog without a day", { changelog: CHANGELOG.replace("2026-03-01", "not released") }, /in place of its day/],
  ["an empty section", { changelog: CHANGELOG.replace("- New.", "") }, /says nothing of 1\.2\.0/],
  ["package.json of another version", { package: { version: "1.1.0" } }, /package\.json says 1\.1\.0/],
  ["another file of another version", { others: { "a.json": { version: "2.0.0" } } }, /a\.json says 2\.0\.0/],
  ["versions.json for another Obsidian", { versions: { "1.0.0": "1.8.0" } }, /has 1\.8\.0 for 1\.0\.0/],
  ["versions.json with later versions alone", { versions: { "2.0.0": "1.12.2" } }, /no entry up to 1\.2\.0/],
  ["a manifest that lacks a field", { manifest: { ...MANIFEST, author: undefined, isDesktopOnly: undefined } }, /isDesktopOnly is true/],
  ["a manifest with an unknown field", { manifest: { ...MANIFEST, helpUrl: "x" } }, /has helpUrl/],
  ["a description with other characters", { manifest: { ...MANIFEST, description: "Words + meaning." } }, /letters, digits/],
  ["a description that is too long", { manifest: { ...MANIFEST, description: `A${"a".repeat(260)}.` } }, /262 characters/],
  ["a description that names Obsidian", { manifest: { ...MANIFEST, description: "Search for Obsidian." } }, /neither "Obsidian"/],
])("%s is told", (_, change, sentence) => {
  expect(problems({ ...GOOD, ...change }).join("\n")).toMatch(sentence);
});

test("the version that counts in versions.json is the newest that is not above", () => {
  const versions = { "1.0.0": "1.8.0", "1.2.0": "1.12.2", "1.10.0": "1.13.0" };

  expect(problems({ ...GOOD, versions })).toEqual([]);
});

test("the notes of a release are its section alone", () => {
  expect(notesOf(CHANGELOG, "1.2.0")).toBe("- New.\n");
  expect(notesOf(CHANGELOG, "1.1.0")).toBe("- Old.\n");
  expect(notesOf(CHANGELOG, "9.9.9")).toBe("");
});

const WORKFLOWS = ["ci", "release", "publish"].map((name) => [name, read(`.github/workflows/${name}.yml`)]);
const steps = (workflow) => Object.values(workflow.jobs).flatMap((job) => job.steps ?? []);

test.each(WORKFLOWS)("%s pins every action to a commit, and says which version that is", (_, text) => {
  const used = [...text.matchAll(/uses: (\S+)(.*)/g)].filter(([, action]) => !action.startsWith("./"));

  expect(used.length).toBeGreaterThan(0);
  expect(used.filter(([, action, comment]) => !/@[0-9a-f]{40}$/.test(action) || !/# v\d+\.\d+\.\d+/.test(comment))).toEqual([]);
});

test.each(WORKFLOWS)("%s puts nothing from outside into a script, and may write only where it must", (name, text) => {
  const workflow = parse(text);
  const writing = Object.entries(workflow.jobs).filter(([, { permissions }]) => Object.values(permissions ?? {}).includes("write"));

  expect(steps(workflow).filter(({ run }) => run?.includes("${{"))).toEqual([]);
  expect(workflow.permissions).toEqual({ contents: "read" });
  expect(writing.map(([job]) => job)).toEqual({ ci: [], release: ["publish"], publish: ["pypi"] }[name]);
});

test("a release is what runs here, tried on every system and attested before it is drafted", () => {
  const { jobs } = parse(read(".github/workflows/release.yml"));
  const publish = jobs.publish.steps.map(({ uses, run }) => uses?.split("@")[0] ?? run.split(" ").slice(0, 3).join(" "));

  expect(jobs.test.uses).toBe("./.github/workflows/ci.yml");
  expect(jobs.build.steps.at(-2).run).toMatch(/^npm run release -- --out dist/);
  expect(jobs.publish.needs).toEqual(["test", "build"]);
  expect(publish).toEqual(["actions/download-artifact", "sha256sum --check SHA256SUMS", "actions/attest-build-provenance", "gh release create"]);
  expect(jobs.publish.steps.at(-1).run).toContain("--draft");
});

test("PyPI gets the attested files of a release, by its own environment and without a token", () => {
  const { on, jobs } = parse(read(".github/workflows/publish.yml"));
  const [take, upload] = jobs.pypi.steps;

  expect(Object.keys(on)).toEqual(["workflow_dispatch"]);
  expect(Object.keys(jobs)).toEqual(["pypi"]);
  expect(jobs.pypi.if).toBe("github.ref_type == 'tag'");
  expect(jobs.pypi.environment).toBe("pypi");
  expect(jobs.pypi.permissions).toEqual({ "id-token": "write", contents: "read", attestations: "read" });
  expect(take.run).toMatch(/sha256sum --check SHA256SUMS[^]*gh attestation verify/);
  expect(upload.uses).toMatch(/^pypa\/gh-action-pypi-publish@/);
  expect(upload.with).toBeUndefined(); // neither a password nor another index
});
