import { styleText } from "node:util";
import { type Column, layOut, type Style } from "../present/table.ts";
import { isTerminal } from "./framework/output.ts";

/** Aligned columns, in colour at a terminal. */
export function table<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: { readonly width: number; readonly header: boolean },
): string[] {
  return layOut(rows, columns, { ...options, paint });
}

export function paint(style: Style | undefined, text: string): string {
  if (style === undefined || !isTerminal(1)) return text;
  const formats = typeof style === "string" ? style : [...style];
  return styleText(formats, text, { stream: process.stdout });
}
