/** Results of the engine without content: what is found elsewhere is shown in their shape. */
import { type Hit, type Passage, type SearchResult } from "./messages";

export const BLANK_PASSAGE: Passage = {
  headingPath: [],
  snippet: "",
  marks: [],
  start: 0,
  line: 0,
  matchStart: 0,
  matchEnd: 0,
  tokens: 0,
  text: null,
  truncated: false,
  breakdown: null,
  anchor: null,
};

export const BLANK_HIT: Hit = {
  path: "",
  kind: "note",
  title: "",
  titleMarks: [],
  score: null,
  confidence: 0,
  matchedBy: null,
  modifiedMs: 0,
  type: null,
  domain: null,
  project: null,
  tags: [],
  passages: [],
  furtherPassages: 0,
  signals: null,
  maps: [],
  missingWords: [],
};

export const BLANK_RESULT: SearchResult = {
  hits: [],
  listed: false,
  total: 0,
  understood: { code: "understood.all", args: {} },
  corrections: [],
  unknownWords: [],
  relaxed: null,
  unmet: null,
  confidence: 0,
  weakness: null,
  extract: null,
  reachable: 0,
  sort: "relevance",
  clauses: [],
  retrievers: [],
  missing: [],
  tokens: 0,
  truncated: false,
  index: { state: "starting", done: 0, total: 0, epoch: 0, fallback: null },
};
