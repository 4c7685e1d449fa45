import Database from "better-sqlite3";

export interface Executed {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Every different statement that runs during some work, on whichever connection of this process. */
export async function executedDuring(work: () => Promise<unknown>): Promise<Executed[]> {
  const seen = new Map<string, Executed>();
  const db = new Database(":memory:");
  const prototype = Object.getPrototypeOf(db.prepare("SELECT 1")) as Record<string, Method>;
  db.close();
  const originals = METHODS.map((name) => [name, prototype[name] as Method] as const);
  for (const [name, original] of originals) {
    prototype[name] = function (this: Database.Statement, ...values: unknown[]) {
      seen.set(this.source, { sql: this.source, values });
      return original.apply(this, values);
    };
  }
  try {
    await work();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
  return [...seen.values()];
}

const METHODS = ["run", "get", "all", "iterate"] as const;
type Method = (this: Database.Statement, ...values: unknown[]) => unknown;

/** The steps of the plans of these statements that go through a whole table or index. */
export function scansOf(path: string, executed: readonly Executed[]): string[] {
  const db = new Database(path, { readonly: true });
  try {
    const steps = executed
      .filter(({ sql }) => /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(sql))
      .flatMap(({ sql, values }) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as Step[]);
    return steps.map(({ detail }) => detail).filter(isScan);
  } finally {
    db.close();
  }
}

interface Step {
  readonly detail: string;
}

/** The full-text index answers every question by a `SCAN`; with `=` it is told the one row. */
function isScan(detail: string): boolean {
  return /^SCAN\b/.test(detail) && !/CONSTANT ROW|VIRTUAL TABLE INDEX \d+:=/.test(detail);
}
