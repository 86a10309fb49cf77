/**
 * The ranking of the most installed search plugin, rebuilt from its published facts on the library that it uses,
 * MiniSearch: fields and their weights, all words of a query, beginnings of words, and typing errors by length.
 *
 *     node minisearch_peer.mjs NOTES.jsonl QUERIES.json > RESULT.json
 *
 * NOTES has an object a line: path, name, aliases, folder, headings1 to headings3, tags, text. QUERIES has `queries` and
 * `keys`, two lists of texts. RESULT has what indexing cost, the paths found for each query, and the CPU time of each
 * query and key. Times are those of all threads of the process, garbage collection included.
 */

import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import process from "node:process";

import MiniSearch from "minisearch";

const WEIGHTS = { name: 10, aliases: 10, folder: 7, headings1: 6, headings2: 5, headings3: 4, tags: 2, text: 1 };
const PREFIX_LENGTHS = [3, 1]; // letters from which a word may be the beginning of one: the second where the first finds nothing
const SHORT_WORD = 5; // letters
const FUZZY = { short: 0.05, long: 0.1 }; // share of a word's letters that may differ
const SHOWN = 50;

const fold = (term) => term.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase();

/** Milliseconds of CPU time that `work` takes, and its result. */
function timed(work) {
  const begun = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(begun);
  return [(user + system) / 1000, result];
}

function ask(index, query) {
  for (const length of PREFIX_LENGTHS) {
    const found = index.search(query, {
      combineWith: "AND",
      boost: WEIGHTS,
      prefix: (term) => term.length >= length,
      fuzzy: (term) => (term.length <= SHORT_WORD ? FUZZY.short : FUZZY.long),
    });
    if (found.length > 0) return found.slice(0, SHOWN).map((hit) => hit.id);
  }
  return [];
}

const [notesFile, queriesFile] = process.argv.slice(2);
const { queries, keys } = JSON.parse(readFileSync(queriesFile, "utf8"));
const index = new MiniSearch({ idField: "path", fields: Object.keys(WEIGHTS), processTerm: fold });
let indexCpuMs = 0;
for await (const line of createInterface({ input: createReadStream(notesFile, "utf8") })) {
  const note = JSON.parse(line);
  indexCpuMs += timed(() => index.add(note))[0];
}
const indexed = process.memoryUsage();
for (const query of queries.slice(0, 20)) ask(index, query); // warm, as a program that runs all day is
const answers = queries.map((query) => timed(() => ask(index, query)));
const typed = keys.map((key) => timed(() => ask(index, key))[0]);
process.stdout.write(
  JSON.stringify({
    indexCpuS: indexCpuMs / 1000,
    heapMb: indexed.heapUsed / 1e6,
    peakRssMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
    found: answers.map(([, paths]) => paths),
    queryCpuMs: answers.map(([ms]) => ms),
    keyCpuMs: typed,
  }),
);
