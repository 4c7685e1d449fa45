import { plainText } from "../../domain/plain-text.ts";
import { printableLines } from "../text.ts";

/** HTML that was made here; everything else is text, and is escaped. */
export interface Html {
  readonly html: string;
}

type Value = Html | readonly Html[] | string | number | null;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes each value that is no HTML of ours, and writes out what would hide or turn text around. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: parts.reduce((made, part, index) => made + htmlOf(values[index - 1] ?? null) + part) };
}

export const NOTHING: Html = { html: "" };

function htmlOf(value: Value): string {
  if (value === null) return "";
  if (typeof value === "string" || typeof value === "number") return escaped(String(value));
  return "html" in value ? value.html : value.map((part) => part.html).join("");
}

function escaped(text: string): string {
  return printableLines(plainText(text)).replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}
