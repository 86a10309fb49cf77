/** What do the settings say? Pure. */
import { type Naming } from "../pane/note-name";
import { type Density } from "../snippet/layout";
import { type Fusion, type Stemming } from "../protocol/messages";

export const SETTINGS_TEXT = {
  paneGroup: "Search pane",
  naming: "Name of a note",
  namingHelp: "Which name stands in a row. Where the file's name and the title differ, the other one stands beside it.",
  density: "Size of rows",
  densityHelp: "Compact shows one line of a passage, normal two, roomy five.",
  limit: "Results at first",
  limitHelp: "The number of notes that a search shows before you ask for more.",
  statusBar: "Show status in the status bar",
  statusBarHelp: "Shown while the engine works or needs attention.",
  engineGroup: "Search engine on this device",
  status: "Status",
  enginePath: "Program path",
  enginePathHelp: "Full path of the quarry program. Leave empty to look in the usual places. Stored on this device only and never synced.",
  enginePathExample: "~/.local/bin/quarry",
  enginePathNotAbsolute: "Enter a full path",
  restart: "Restart engine",
  restartHelp: "Stops the engine and starts it again.",
  vaultGroup: "This vault",
  vaultUnavailable: "Available while the engine is running.",
  include: "Include only these folders",
  includeHelp: "One per line. Leave empty to search the whole vault.",
  exclude: "Exclude these folders",
  excludeHelp: "One per line. Notes in them are neither indexed nor found.",
  templates: "Search templates",
  templatesHelp: "Whether notes in the template folders of Templates and Templater are found.",
  excludeStatus: "Exclude notes by status",
  excludeStatusHelp: "Values of the property status, between commas. Notes with one of them are not found, unless a search names the status.",
  excludeStatusExample: "archived, draft",
  model: "Embedding model",
  modelHelp: "The bundled model works offline. You can enter a folder instead, or the name of a Hugging Face model, which the engine downloads. A transformer needs the engine's extra “transformer”; it takes a while to go through all notes, and the bundled model answers until then.",
  lexicalWeight: "Weight of words",
  denseWeight: "Weight of meaning",
  weightHelp: "From 0 to 100. Equal weights work best for most vaults.",
  fusion: "Ranking method",
  fusionHelp: "How the results by words and by meaning are combined. The weighted sum works best for most vaults. Reciprocal rank fusion uses only the two ranks. The six signals also weigh age, severity, tags and domain.",
  stemming: "Word forms",
  stemmingHelp: "Whether a word matches its other forms, such as running for run. Changing this indexes all notes again; search goes on meanwhile.",
  stemmingChanged: "All notes are being indexed again. Search goes on meanwhile.",
  weightInvalid: "Enter a number from 0 to 100",
  rebuild: "Rebuild index",
  rebuildHelp: "Reads every note again. Search uses the old index until the new one is complete.",
  rebuildButton: "Rebuild",
  restartButton: "Restart",
  reportButton: "Copy diagnostics",
  report: "Diagnostics",
  reportHelp: "Attach these to a bug report. They contain no note text, queries or credentials.",
  problems: "Notes with problems",
  skipped: "not indexed",
  partly: "partially indexed",
} as const;

export const FUSION_NAMES: Readonly<Record<Fusion, string>> = {
  convex: "By strength (recommended)",
  rrf: "By rank (RRF)",
  "six-signals": "Six signals",
};

export const STEMMING_NAMES: Readonly<Record<Stemming, string>> = {
  "by-language": "Forms of the word, by language",
  none: "Only the word itself",
};

export const NAMING_NAMES: Readonly<Record<Naming, string>> = { file: "File name", title: "Title" };

export const DENSITY_NAMES: Readonly<Record<Density, string>> = { compact: "Compact", normal: "Normal", roomy: "Roomy" };
