/**
 * Compared with `obsidian.d.ts` by the compiler: the host has no public member that Obsidian lacks, and a method is a method
 * there. A host's own members begin with `host`.
 */
import type * as Api from "obsidian";
import type { FileSystemAdapter } from "./adapter";
import type { App } from "./app";
import type { Component } from "./component";
import type { Editor } from "./editor";
import type { TAbstractFile, TFile, TFolder } from "./files";
import type { FileManager } from "./file-manager";
import type * as frontmatter from "./frontmatter";
import type * as functions from "./functions";
import type { WorkspaceLeaf } from "./leaf";
import type { MarkdownView } from "./markdown-view";
import type { Menu, MenuItem } from "./menu";
import type { MetadataCache } from "./metadata-cache";
import type { Modal } from "./modal";
import type { Plugin } from "./plugin";
import type { Scope } from "./scope";
import type { Split } from "./tab-group";
import type { Vault } from "./vault";
import type { ItemView, View } from "./view";
import type { Workspace } from "./workspace";
import type { WorkspaceRoot, WorkspaceWindow } from "./workspace-window";

type Callable = (...args: never[]) => unknown;

/** Names of what the host has and Obsidian has not. */
type Invented<Ours, Theirs> = Exclude<keyof Ours, keyof Theirs | `host${string}`>;

/** Names of members that are a method on one side only. */
type Different<Ours, Theirs> = {
  [Name in keyof Ours & keyof Theirs]: Ours[Name] extends Callable ? (NonNullable<Theirs[Name]> extends Callable ? never : Name) : NonNullable<Theirs[Name]> extends Callable ? Name : never;
}[keyof Ours & keyof Theirs];

/** The names of all members that differ. *Known*: what the app has and does not document. */
type Differences<Ours, Theirs, Known extends PropertyKey = never> = Exclude<Invented<Ours, Theirs> | Different<Ours, Theirs>, Known>;
/** Does not compile where there is a difference; the error names the members. */
type None<Names extends never> = Names;

/** Of `WorkspaceSidedock` in the API; here one class is every split. */
type SplitParts = keyof Split;

export type Checked = [
  None<Differences<App, Api.App, "dragManager" | "setting">>,
  None<Differences<Component, Api.Component>>,
  None<Differences<Editor, Api.Editor>>,
  None<Differences<FileManager, Api.FileManager>>,
  None<Differences<FileSystemAdapter, Api.FileSystemAdapter>>,
  None<Differences<ItemView, Api.ItemView>>,
  None<Differences<MarkdownView, Api.MarkdownView>>,
  None<Differences<Menu, Api.Menu, "dom">>,
  None<Differences<MenuItem, Api.MenuItem, "dom" | "section">>,
  None<Differences<MetadataCache, Api.MetadataCache>>,
  None<Differences<Modal, Api.Modal>>,
  None<Differences<Plugin, Api.Plugin>>,
  None<Differences<Scope, Api.Scope, "handleKey" | "parent">>,
  None<Differences<TAbstractFile, Api.TAbstractFile>>,
  None<Differences<TFile, Api.TFile>>,
  None<Differences<TFolder, Api.TFolder>>,
  None<Differences<Vault, Api.Vault>>,
  None<Differences<View, Api.View>>,
  None<Differences<Workspace, Api.Workspace, "floatingSplit">>,
  None<Differences<WorkspaceLeaf, Api.WorkspaceLeaf, "app" | "containerEl" | "id" | "pinned" | "tabHeaderEl">>,
  None<Differences<WorkspaceRoot, Api.WorkspaceRoot, SplitParts>>,
  None<Differences<WorkspaceWindow, Api.WorkspaceWindow, SplitParts>>,
  None<Differences<typeof frontmatter, typeof Api, "readFrontMatter">>,
  None<Differences<typeof functions, typeof Api>>,
];
