/** How is a message of the engine worded, by its code? In the user's language, where the engine speaks English. Pure. */
import { type Message } from "../protocol/messages";
import { joinSentences, plainList, quotedList } from "./formatting";
import { translated } from "./translate";

const AND = new Set(["phrases"]);

/** The sentence of a message; `otherwise` where the code is unknown, such as one of a newer engine. */
export function messageWords(message: Message | null | undefined, otherwise: string): string {
  if (!message) return joinSentences(otherwise);
  const { args } = message;
  const list = (name: string): readonly string[] => {
    const value = args[name];
    return typeof value === "object" ? value : [];
  };
  const reasons = list("reasons").map((reason) => translated(`told.reason.${reason}`) ?? "");
  const words = Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === "object" ? asText(name, value) : value]),
  );
  return joinSentences(translated(keyOf(message), { ...words, count: Number(args["ignored"] ?? 0) }) ?? otherwise, ...reasons);
}

function keyOf({ code, args }: Message): string {
  if (code === "bad-regex") return `regex.${asString(args["problem"])}`;
  if (code === "explain-absent") return `inspect.reason.${asString(args["reason"])}`;
  const among = asString(args["among"]);
  return among === "" || among === "all" ? `told.${code}` : `told.${code}.filtered`;
}

function asText(name: string, values: readonly string[]): string {
  return name === "filters" ? plainList(values) : quotedList(values, AND.has(name) ? "conjunction" : "disjunction");
}

function asString(value: Message["args"][string] | undefined): string {
  return typeof value === "string" ? value : "";
}
