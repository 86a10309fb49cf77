// What must hold of the files that name a version, and of the manifest, before a release. Pure: texts in, sentences out.

/** What the community directory accepts in a manifest, and nothing else. */
const REQUIRED = ["author", "description", "id", "isDesktopOnly", "minAppVersion", "name", "version"];
const OPTIONAL = ["authorUrl", "fundingUrl"];
const VERSION = /^\d+\.\d+\.\d+$/;
const DESCRIPTION = /^[A-Z][A-Za-z0-9\s.,!?'"-]*\.$/;
const DESCRIPTION_CHARS = 250;

/**
 * Everything that is wrong, one sentence each; none for a release that may be made.
 *
 * @param {object} files
 * @param {Record<string, unknown>} files.manifest
 * @param {Record<string, string>} files.versions
 * @param {{ version?: string }} files.package
 * @param {Record<string, { version?: string }>} files.others path -> a JSON file that names the version as well
 * @param {string} files.changelog
 * @param {string | null} files.tag the tag of the release; null: none is made yet
 * @returns {string[]}
 */
export function problems({ manifest, versions, package: packageJson, others, changelog, tag }) {
  const version = String(manifest.version);
  return [
    ...manifestProblems(manifest),
    ...versionsProblems(versions, version, String(manifest.minAppVersion)),
    ...Object.entries({ "package.json": packageJson, ...others })
      .filter(([, file]) => file.version !== undefined && file.version !== version)
      .map(([path, file]) => `${path} says ${file.version}, manifest.json says ${version}.`),
    ...changelogProblems(changelog, version, tag !== null),
    ...(tag !== null && tag !== version ? [`The tag is ${tag}, manifest.json says ${version}: the tag is the version, without a "v".`] : []),
  ];
}

function manifestProblems(manifest) {
  const found = [];
  for (const key of REQUIRED) if (!(key in manifest)) found.push(`manifest.json lacks ${key}.`);
  for (const key of Object.keys(manifest)) if (![...REQUIRED, ...OPTIONAL].includes(key)) found.push(`manifest.json has ${key}, which the community directory does not know.`);
  for (const key of ["version", "minAppVersion"]) {
    if (!VERSION.test(String(manifest[key]))) found.push(`manifest.json: ${key} is ${manifest[key]}, not three numbers.`);
  }
  const description = String(manifest.description ?? "");
  if (!DESCRIPTION.test(description)) found.push("manifest.json: the description begins with a capital, ends with a full stop, and has letters, digits and . , ! ? ' \" - alone.");
  if (description.length > DESCRIPTION_CHARS) found.push(`manifest.json: the description has ${description.length} characters, ${DESCRIPTION_CHARS} are allowed.`);
  if (/obsidian|plugin/i.test(`${manifest.id} ${manifest.name} ${description}`)) found.push('manifest.json: id, name and description say neither "Obsidian" nor "plugin".');
  if (manifest.isDesktopOnly !== true) found.push("manifest.json: isDesktopOnly is true for a plugin that starts a program.");
  return found;
}

/** versions.json has an entry only where the oldest Obsidian that will do changed; Obsidian takes the newest that is not above. */
function versionsProblems(versions, version, minAppVersion) {
  const usable = Object.keys(versions).filter((key) => compare(key, version) <= 0).sort(compare);
  const last = usable.at(-1);
  if (last === undefined) return [`versions.json has no entry up to ${version}: add "${version}": "${minAppVersion}".`];
  if (versions[last] === minAppVersion) return [];
  return [`versions.json has ${versions[last]} for ${last}, manifest.json asks for Obsidian ${minAppVersion}: add "${version}": "${minAppVersion}".`];
}

function changelogProblems(changelog, version, isReleased) {
  const [first] = headings(changelog);
  if (!first || first.version !== version) return [`CHANGELOG.md begins with ${first?.version ?? "no version"}, manifest.json says ${version}.`];
  if (isReleased && !/^\d{4}-\d{2}-\d{2}$/.test(first.date)) return [`CHANGELOG.md: ${version} has "${first.date}" in place of its day, such as 2026-03-01.`];
  return notesOf(changelog, version).trim() === "" ? [`CHANGELOG.md says nothing of ${version}.`] : [];
}

/** What CHANGELOG.md says of a version, without its heading: the notes of its release. */
export function notesOf(changelog, version) {
  const all = headings(changelog);
  const at = all.findIndex((heading) => heading.version === version);
  if (at < 0) return "";
  return `${changelog.slice(all[at].end, all[at + 1]?.start ?? changelog.length).trim()}\n`;
}

function headings(changelog) {
  return [...changelog.matchAll(/^## (\S+) \(([^)\n]*)\)[ \t]*$/gm)].map((match) => ({ version: match[1], date: match[2], start: match.index, end: match.index + match[0].length }));
}

function compare(left, right) {
  const [a, b] = [left, right].map((version) => version.split(".").map(Number));
  for (let part = 0; part < 3; part += 1) if (a[part] !== b[part]) return a[part] - b[part];
  return 0;
}
