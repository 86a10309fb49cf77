/** What the sources say to a person: the keys they look up, and the literals that they pass where a text is expected. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const PLUGIN = join(import.meta.dirname, "../../../plugin");

export interface Lookup {
  readonly where: string;
  /** The keys that it can mean, where they stand there. */
  readonly keys: readonly string[];
  /** The names of its arguments; null where they are put together elsewhere. */
  readonly args: readonly string[] | null;
  /** Evaluated when the module is loaded, before the language is chosen. */
  readonly isTopLevel: boolean;
}

export interface Scan {
  readonly lookups: readonly Lookup[];
  /** Every string literal. */
  readonly literals: ReadonlySet<string>;
  /** What a template may give, as a pattern: `row.${reason}` matches every key of one more part. */
  readonly templates: readonly RegExp[];
  /** Literals with letters in them that are passed where a person would read them. */
  readonly spoken: readonly string[];
}

/** Methods of Obsidian and the DOM whose argument is shown. */
const SHOWING = /^(appendText|setButtonText|setDesc|setName|setPlaceholder|setText|setTitle|setTooltip|announceEvent|announceState)$/;
/** Properties whose value is shown. */
const SHOWN = /^(aria-(label|description)|desc|detail|label|placeholder|text|textContent|tip|title)$/;

export function scanPlugin(): Scan {
  const files = readdirSync(PLUGIN, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts") && !name.includes("protocol"));
  const scans = files.map((name) => scan(name.replaceAll("\\", "/"), readFileSync(join(PLUGIN, name), "utf8")));
  return {
    lookups: scans.flatMap(({ lookups }) => lookups),
    literals: new Set(scans.flatMap(({ literals }) => [...literals])),
    templates: scans.flatMap(({ templates }) => templates),
    spoken: scans.flatMap(({ spoken }) => spoken),
  };
}

export function scan(name: string, source: string): Scan {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.ES2022, true);
  const lookups: Lookup[] = [];
  const literals = new Set<string>();
  const templates: RegExp[] = [];
  const spoken: string[] = [];
  const place = (node: ts.Node): string => `${name}:${String(file.getLineAndCharacterOfPosition(node.getStart()).line + 1)}`;
  const speak = (node: ts.Node): void => {
    for (const text of literalsOf(node)) if (/\p{L}{2}/u.test(text)) spoken.push(`${place(node)} ${text}`);
  };
  const visit = (node: ts.Node, isTopLevel: boolean): void => {
    if (ts.isStringLiteralLike(node)) literals.add(node.text);
    if (ts.isTemplateExpression(node)) templates.push(patternOf(node));
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : node.expression.getText();
      const [first, second] = node.arguments ?? [];
      if (first && called === "t") lookups.push({ where: place(node), keys: literalsOf(first), args: argumentsOf(second), isTopLevel });
      if (called === "Notice" && first) speak(first);
      if (SHOWING.test(called)) for (const argument of node.arguments ?? []) speak(argument);
    }
    if (ts.isPropertyAssignment(node) && SHOWN.test(nameOf(node.name))) speak(node.initializer);
    if (ts.isBinaryExpression(node) && ts.isPropertyAccessExpression(node.left) && SHOWN.test(node.left.name.text)) speak(node.right);
    node.forEachChild((child) => { visit(child, isTopLevel && !ts.isFunctionLike(child)); });
  };
  visit(file, true);
  return { lookups, literals, templates, spoken };
}

function nameOf(name: ts.PropertyName): string {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : "";
}

/** The literals that an expression can give: itself, or the branches of a condition. */
function literalsOf(node: ts.Node): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
  if (ts.isParenthesizedExpression(node)) return literalsOf(node.expression);
  if (ts.isTemplateExpression(node)) return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].filter((text) => text !== "");
  if (ts.isBinaryExpression(node)) return [...literalsOf(node.left), ...literalsOf(node.right)];
  return [];
}

function argumentsOf(node: ts.Node | undefined): readonly string[] | null {
  if (node === undefined) return [];
  if (!ts.isObjectLiteralExpression(node)) return null;
  const names = node.properties.map((property) => (ts.isSpreadAssignment(property) ? null : nameOf(property.name)));
  return names.includes(null) ? null : names.filter((name) => name !== null);
}

function patternOf(node: ts.TemplateExpression): RegExp {
  const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escape(node.head.text)}${node.templateSpans.map(({ literal }) => `[\\w-]+${escape(literal.text)}`).join("")}$`);
}
