import { expect, test } from "vitest";
import { packed } from "../../esbuild.locales.mjs";
import { unpackText } from "../../plugin/packed-text";
import de from "../../plugin/wording/locales/de.json";
import en from "../../plugin/wording/locales/en.json";

test("a packed translation has the texts of its language, in the order of English's keys", () => {
  const translation = { "b.text": "zwei", "a.count": { one: "eins", other: "viele" } };

  expect(JSON.parse(unpackText(packed(translation, { "a.count": "", "b.text": "" })))).toEqual([{ one: "eins", other: "viele" }, "zwei"]);
});

test("packing a translation makes it a third", () => {
  expect(packed(de, en).length).toBeLessThan(JSON.stringify(de).length / 3);
});
