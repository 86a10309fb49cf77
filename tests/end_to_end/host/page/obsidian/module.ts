/** `require("obsidian")` for the plugin. A name that is missing here throws when it is used. */
import type * as Api from "obsidian";
import { knownModule } from "../known";
import { FileSystemAdapter } from "./adapter";
import { MarkdownRenderChild, MarkdownRenderer } from "./code-blocks";
import { Component } from "./component";
import * as controls from "./controls";
import { TFile, TFolder } from "./files";
import { getAllTags, parseFrontMatterAliases } from "./frontmatter";
import * as functions from "./functions";
import * as icons from "./icons";
import { MarkdownView } from "./markdown-view";
import { Menu } from "./menu";
import { AbstractInputSuggest } from "./input-suggest";
import { FuzzySuggestModal, Modal } from "./modal";
import { Notice } from "./notice";
import { Plugin } from "./plugin";
import { Keymap, Scope } from "./scope";
import { Setting } from "./setting";
import { PluginSettingTab } from "./settings-tab";
import { ItemView } from "./view";

/** Checked by the compiler: every name is one of the real module. */
const members: Partial<Record<keyof typeof Api, unknown>> = {
  ...controls,
  ...functions,
  ...icons,
  AbstractInputSuggest,
  Component,
  FileSystemAdapter,
  FuzzySuggestModal,
  ItemView,
  Keymap,
  MarkdownRenderChild,
  MarkdownRenderer,
  MarkdownView,
  Menu,
  Modal,
  Notice,
  Plugin,
  PluginSettingTab,
  Scope,
  Setting,
  TFile,
  TFolder,
  getAllTags,
  parseFrontMatterAliases,
};

export const obsidianModule = knownModule("obsidian", members);
