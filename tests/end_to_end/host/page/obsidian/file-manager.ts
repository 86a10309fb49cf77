/** Writes links, moves files and moves them to the trash by the user's preferences, which are the app's defaults here. */
import { Known } from "../known";
import type { TAbstractFile, TFile, TFolder } from "./files";
import type { MetadataCache } from "./metadata-cache";
import type { Vault } from "./vault";

export class FileManager extends Known {
  constructor(
    private readonly vault: Vault,
    private readonly metadataCache: MetadataCache,
  ) {
    super();
  }

  /** A wiki-link; *subpath* starts with `#`. */
  generateMarkdownLink(file: TFile, sourcePath: string, subpath = "", alias = ""): string {
    const target = this.metadataCache.fileToLinktext(file, sourcePath) + subpath;
    const embed = file.extension === "md" ? "" : "!";
    return `${embed}[[${target}${alias && alias !== target ? `|${alias}` : ""}]]`;
  }

  /** Host: the folder that the user chose for new notes; empty: the vault's. */
  hostNewFileFolder = "";

  getNewFileParent(_sourcePath: string, _newFilePath?: string): TFolder {
    return this.vault.getFolderByPath(this.hostNewFileFolder) ?? this.vault.getRoot();
  }

  async renameFile(file: TAbstractFile, newPath: string): Promise<void> {
    await this.vault.rename(file, newPath);
  }
}
