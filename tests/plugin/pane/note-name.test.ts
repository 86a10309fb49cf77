import { expect, test } from "vitest";
import { type Mark } from "../../../plugin/protocol/messages";
import { fileName, noteNames } from "../../../plugin/pane/note-name";
import { type PlainText } from "../../../plugin/snippet/plain";
import { hit } from "../builders";

const word = (start: number, end: number): Mark => ({ kind: "word", start, end });
const marked = ({ text, marks }: PlainText): string[] => marks.map(({ start, end }) => text.slice(start, end));

test("a note is named by its file, with the title beside it where that says something else", () => {
  const [name] = noteNames([hit("Work/06.md", { title: "Retry design", titleMarks: [word(0, 5)] })], "file");

  expect([name?.text, name?.aside?.text, name?.folder]).toEqual(["06", "Retry design", null]);
  expect(name?.aside && marked(name.aside)).toEqual(["Retry"]);
});

test("or by its title, with the file's name beside it", () => {
  const [name] = noteNames([hit("Work/06.md", { title: "Retry design", titleMarks: [word(0, 5)] })], "title");

  expect([name?.text, name?.aside?.text]).toEqual(["Retry design", "06"]);
  expect(name && marked(name)).toEqual(["Retry"]);
});

test("names that differ in case, accents or punctuation only are one, and keep their marks", () => {
  const [name] = noteNames([hit("API-retry.md", { title: "API retry", titleMarks: [word(4, 9)] })], "file");

  expect([name?.text, name?.aside]).toEqual(["API-retry", null]);
  expect(name && marked(name)).toEqual(["retry"]);
});

test("a second name that has no further words is left out, as is the title of a template", () => {
  const names = noteNames([hit("Old sourdough rye.md", { title: "Sourdough rye" }), hit("Quick note.md", { title: "{{title}}" })], "file");

  expect(names.map(({ text, aside }) => [text, aside])).toEqual([["Old sourdough rye", null], ["Quick note", null]]);
});

test.each(["index", "_index", "README", "Untitled 2"])("a file called %s is named by its title and its folder", (file) => {
  const [name] = noteNames([hit(`docs/git/${file}.md`, { title: "Rename a branch" })], "file");

  expect(name).toMatchObject({ text: "Rename a branch", folder: "docs/git", aside: null });
});

test("a mark is a whole word, and a date is marked as a whole", () => {
  const [inWord] = noteNames([hit("ccomgitptr-git.md", { title: "Git pointer", titleMarks: [word(0, 3)] })], "file");
  const [inDate] = noteNames([hit("2026-02-21.md", { title: "Saturday 21", titleMarks: [word(9, 11)] })], "file");

  expect(inWord?.marks).toEqual([word(11, 14)]);
  expect(inDate && marked(inDate)).toEqual(["2026-02-21"]);
});

test("rows with one name show their folders, others do not", () => {
  const names = noteNames(["A/Notes.md", "B/C/Notes.md", "Notes.md", "A/Other.md"].map((path) => hit(path, { title: fileName(path) })), "file");

  expect(names.map(({ folder }) => folder)).toEqual(["A", "B/C", "/", null]);
});

test("the file's name is without folder and extension", () => {
  expect(["A/b.c.md", "x.MD", "plain"].map(fileName)).toEqual(["b.c", "x", "plain"]);
});
