import { availableParallelism, cpus } from "node:os";
import Database from "better-sqlite3";
import { type Bar, barOf, isWithin, showBar } from "./budget.ts";
import type { Figure, NotRun } from "./figure.ts";

/** A figure as it is shown and written out. */
export type Judged = (Figure & { readonly bar: Bar; readonly ok: boolean }) | NotRun;

export function judge(figure: Figure | NotRun): Judged {
  if ("notRun" in figure) return figure;
  const bar = barOf(figure.name);
  return { ...figure, bar, ok: isWithin(figure, bar) };
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly sqlite: string;
}

export function thisMachine(): Machine {
  const db = new Database(":memory:");
  const sqlite = db.prepare("SELECT sqlite_version()").pluck().get() as string;
  db.close();
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    node: process.versions.node,
    sqlite,
  };
}

export function showMachine({ cpu, cores, node, sqlite }: Machine): string {
  return `${cores} cores (${cpu}), Node ${node}, SQLite ${sqlite}`;
}

const WIDTHS = [24, 14, 14, 9, 8, 5];

export const HEADER = line(["figure", "ours", "baseline", "value", "bar", ""], "measured");

export function showFigure(judged: Judged): string {
  if ("notRun" in judged) return `${judged.name.padEnd(WIDTHS[0] ?? 0)} not run: ${judged.notRun}`;
  const { name, ours, baseline, unit, value, valueUnit, bar, ok, note = "" } = judged;
  const shown = [amount(ours, unit), amount(baseline, unit), showValue(value, valueUnit), showBar(bar)];
  return line([name, ...shown, ok ? "ok" : "FAIL"], note);
}

function line(cells: readonly string[], last: string): string {
  const padded = cells.map((cell, index) => {
    const width = WIDTHS[index] ?? 0;
    return index === 0 ? cell.padEnd(width) : cell.padStart(width);
  });
  return `${padded.join("")}  ${last}`;
}

function amount(value: number | undefined, unit: Figure["unit"]): string {
  if (value === undefined || unit === undefined) return "—";
  const digits = value >= 100 ? 0 : 2;
  return `${value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

function showValue(value: number, unit: Figure["valueUnit"]): string {
  if (unit === "count") return String(value);
  return unit === "x" ? value.toFixed(2) : `${value.toFixed(1)} ${unit}`;
}
