/** `require("obsidian")` for a plugin. A name that is missing here throws when it is used. */
import type * as Api from "obsidian";
import moment from "moment";
import { knownModule } from "../known";
import { FileSystemAdapter } from "./adapter";
import { App } from "./app";
import { Component } from "./component";
import * as controls from "./controls";
import { Editor } from "./editor";
import { Events } from "./events";
import { FileManager } from "./file-manager";
import * as frontmatter from "./frontmatter";
import { TAbstractFile, TFile, TFolder } from "./files";
import * as functions from "./functions";
import * as icons from "./icons";
import { WorkspaceLeaf } from "./leaf";
import { MarkdownPreviewView, MarkdownView } from "./markdown-view";
import { Menu, MenuItem } from "./menu";
import { MetadataCache } from "./metadata-cache";
import { AbstractInputSuggest } from "./input-suggest";
import { FuzzySuggestModal, Modal, SuggestModal } from "./modal";
import { Notice } from "./notice";
import { Plugin } from "./plugin";
import { Keymap, Scope } from "./scope";
import { Setting, SettingGroup } from "./setting";
import { PluginSettingTab, SettingTab } from "./settings-tab";
import { Vault } from "./vault";
import { EditableFileView, FileView, ItemView, TextFileView, View } from "./view";
import { Workspace } from "./workspace";
import { WorkspaceFloating, WorkspaceRoot, WorkspaceWindow } from "./workspace-window";

/** Checked by the compiler: every name is one of the real module. */
const members: Partial<Record<keyof typeof Api, unknown>> = {
  ...controls,
  ...functions,
  getAllTags: frontmatter.getAllTags,
  getFrontMatterInfo: frontmatter.getFrontMatterInfo,
  parseFrontMatterAliases: frontmatter.parseFrontMatterAliases,
  parseFrontMatterEntry: frontmatter.parseFrontMatterEntry,
  parseFrontMatterStringArray: frontmatter.parseFrontMatterStringArray,
  parseFrontMatterTags: frontmatter.parseFrontMatterTags,
  parseYaml: frontmatter.parseYaml,
  stringifyYaml: frontmatter.stringifyYaml,
  ...icons,
  AbstractInputSuggest,
  App,
  Component,
  EditableFileView,
  Editor,
  Events,
  FileManager,
  FileSystemAdapter,
  FileView,
  FuzzySuggestModal,
  ItemView,
  Keymap,
  MarkdownPreviewView,
  MarkdownView,
  Menu,
  MenuItem,
  MetadataCache,
  Modal,
  Notice,
  Plugin,
  PluginSettingTab,
  Scope,
  Setting,
  SettingGroup,
  SettingTab,
  SuggestModal,
  TAbstractFile,
  TFile,
  TFolder,
  TextFileView,
  Vault,
  View,
  Workspace,
  WorkspaceFloating,
  WorkspaceLeaf,
  WorkspaceRoot,
  WorkspaceWindow,
  moment,
};

export const obsidianModule = knownModule("obsidian", members);
