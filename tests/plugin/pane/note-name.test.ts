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

test("rows with one name show their folders, others do not", () => {
  const names = noteNames(["A/Notes.md", "B/C/Notes.md", "Notes.md", "A/Other.md"].map((path) => hit(path, { title: fileName(path) })), "file");

  expect(names.map(({ folder }) => folder)).toEqual(["A", "B/C", "/", null]);
});

test("the file's name is without folder and extension", () => {
  expect(["A/b.c.md", "x.MD", "plain"].map(fileName)).toEqual(["b.c", "x", "plain"]);
});
