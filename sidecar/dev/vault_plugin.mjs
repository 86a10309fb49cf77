// Puts the built plugin into a vault: as copies, or as links into this checkout.

import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

import { ROOT } from "./environment.mjs";

export const PLUGIN_FILES = ["main.js", "manifest.json", join("plugin", "styles.css")];

/** The folder named on the command line, or a sentence about why it is not one. npm runs scripts in the repository. */
export function vaultFolder(named) {
  const vault = resolve(process.env.INIT_CWD ?? process.cwd(), named);
  if (!existsSync(vault)) return { error: `There is no folder ${vault}.` };
  if (!statSync(vault).isDirectory()) return { error: `${vault} is not a folder. Name the folder that contains the notes.` };
  return { vault };
}

/**
 * Put files of the plugin into a vault.
 *
 * @param {string} vault
 * @param {{ files?: readonly string[], link?: boolean, symlink?: typeof symlinkSync }} options
 * @returns {{ folder: string, copied: string[] }} the plugin's folder, and the files that are copies
 */
export function placePlugin(vault, { files = PLUGIN_FILES, link = false, symlink = symlinkSync } = {}) {
  const folder = join(vault, ".obsidian", "plugins", "quarry");
  mkdirSync(folder, { recursive: true });
  const copied = [];
  for (const file of files) {
    const [source, target] = [join(ROOT, file), join(folder, basename(file))];
    rmSync(target, { force: true }); // an earlier link: a copy would be written through it
    if (link && linked(source, target, symlink)) continue;
    copyFileSync(source, target);
    copied.push(basename(file));
  }
  return { folder, copied };
}

/** Tell the plugin Hot-Reload to reload Quarry whenever one of its files changes. */
export function markForHotReload(folder) {
  writeFileSync(join(folder, ".hotreload"), "");
}

function linked(source, target, symlink) {
  try {
    symlink(source, target, "file");
    return true;
  } catch {
    return false; // Windows allows links only to administrators and in developer mode
  }
}
