import type { Database } from "better-sqlite3";
import { STORED_KINDS, type StoredKind, type StoredSize } from "../../statistics.ts";

/** So many pages of each table or index are looked at; the rest of a larger one is estimated. */
const MOST_PAGES = 4096;

const KIND_OF_TABLE: Readonly<Record<string, StoredKind>> = {
  events: "events",
  unknown_records: "events",
  requests: "usage",
  removed_usage: "usage",
  samples: "samples",
  sample_sums: "samples",
  thinned: "samples",
};

interface Tree {
  readonly kind: StoredKind;
  readonly bytes: number;
  readonly isEstimate: boolean;
}

interface TreePage {
  readonly path: string;
  readonly ncell: number;
  readonly pgsize: number;
}

/** How the pages of the database are shared out. They add up exactly, also where single kinds are estimated. */
export function tableSizes(db: Database, mostPages: number = MOST_PAGES): StoredSize[] {
  const pageBytes = db.pragma("page_size", { simple: true }) as number;
  const free = (db.pragma("freelist_count", { simple: true }) as number) * pageBytes;
  const all = (db.pragma("page_count", { simple: true }) as number) * pageBytes;
  const trees = [...treesOf(db, mostPages), { kind: "free", bytes: free, isEstimate: false } as const];
  const sumOf = (some: readonly Tree[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);
  const estimated = trees.filter(({ isEstimate }) => isEstimate);
  const left = all - sumOf(trees.filter(({ isEstimate }) => !isEstimate));
  const factor = estimated.length === 0 ? 1 : left / sumOf(estimated);
  return STORED_KINDS.map((kind) => {
    const own = trees.filter((tree) => tree.kind === kind);
    // One alone is what the others leave, and so it is exact.
    const isEstimate = estimated.length > 1 && own.some((tree) => tree.isEstimate);
    const bytes = own.reduce((sum, tree) => sum + tree.bytes * (tree.isEstimate ? factor : 1), 0);
    return { kind, bytes: Math.round(bytes), isEstimate };
  });
}

function treesOf(db: Database, mostPages: number): Tree[] {
  const names = db
    .prepare(
      "SELECT name, tbl_name AS 'table' FROM sqlite_schema WHERE rootpage > 0 UNION ALL VALUES ('sqlite_schema', '')",
    )
    .all() as { readonly name: string; readonly table: string }[];
  const pages = db.prepare("SELECT path, ncell, pgsize FROM dbstat WHERE name = ?");
  return names.map(({ name, table }) => ({
    kind: KIND_OF_TABLE[table] ?? (table.startsWith("search_") ? "search" : "other"),
    ...treeSize(pages.iterate(name) as Iterable<TreePage>, mostPages),
  }));
}

/** Pages come in the order of the tree, so that the place of the last one tells which part of it was seen. */
function treeSize(pages: Iterable<TreePage>, mostPages: number): Omit<Tree, "kind"> {
  const children = [1, 1];
  let seen = 0;
  let bytes = 0;
  for (const { path, ncell, pgsize } of pages) {
    const [first, second] = path.split("/").slice(1, -1);
    if (seen === mostPages) {
      const [ofRoot = 1, ofChild = 1] = children;
      const part = (place(first) + place(second) / ofChild) / ofRoot;
      return { bytes: part > 0 ? bytes / part : bytes, isEstimate: true };
    }
    if (first === undefined) children[0] = ncell + 1;
    else if (second === undefined) children[1] = ncell + 1;
    seen += 1;
    bytes += pgsize;
  }
  return { bytes, isEstimate: false };
}

function place(hex: string | undefined): number {
  return hex === undefined ? 0 : Number.parseInt(hex, 16);
}
