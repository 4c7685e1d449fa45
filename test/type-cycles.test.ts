import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";

const SRC = join(import.meta.dirname, "..", "src");

/** Two or three files may be one idea that was cut; a larger ring is one object in many files. */
const MOST_IN_RING = 3;

test("no more than three files import each other in a ring, types included", () => {
  expect(rings(importsOf(SRC)).filter((ring) => ring.length > MOST_IN_RING)).toEqual([]);
});

test("a planted ring of four files is found", () => {
  const planted = new Map([
    ["a", ["b"]],
    ["b", ["c", "e"]],
    ["c", ["d"]],
    ["d", ["a"]],
    ["e", []],
  ]);
  expect(rings(planted)).toEqual([["a", "b", "c", "d"]]);
});

type Imports = ReadonlyMap<string, readonly string[]>;

function importsOf(root: string): Imports {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .map((path) => path.replaceAll("\\", "/"));
  return new Map(
    files.map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const names = [...text.matchAll(/(?:from |import\()"(\.[^"]+)"/g)].map(([, name = ""]) => name);
      return [path, names.map((name) => posix.join(posix.dirname(path), name))];
    }),
  );
}

/** Groups of files that reach each other, by Tarjan's algorithm; a file alone is none. */
function rings(imports: Imports): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file) as number);
    stack.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue;
      if (!order.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      lowest.set(file, Math.min(lowest.get(file) as number, lowest.get(next) as number));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const ring = stack.splice(stack.indexOf(file));
    if (ring.length > 1) found.push(ring.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}
