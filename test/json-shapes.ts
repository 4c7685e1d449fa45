import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { tempFolder } from "../src/testing/temp-folder.ts";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs", "json.md"), "utf8");
const TYPE_ROOTS = join(root, "node_modules", "@types");

/** The types of docs/json.md. */
export const types = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code).join("\n");

/** What the table of docs/json.md says that a command answers. */
export function documentedAnswer(command: string): string {
  const rows = page.split("\n").filter((line) => line.startsWith("| `rollcall"));
  const row = rows.find((line) => line.split(" | ")[0]?.includes(`\`${command}\``));
  const type = row?.slice(row.indexOf(" | ") + 3).match(/`(.*)`/)?.[1];
  if (type === undefined) throw new Error(`docs/json.md does not say what ${command} answers.`);
  return type;
}

/** Every command that the page has a shape for. */
export function documentedCommands(): string[] {
  const first = page
    .split("\n")
    .flatMap((line) => (line.startsWith("| `rollcall") ? [line.split(" | ")[0]] : []));
  return first.flatMap((cell) => [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name as string));
}

export interface RealAnswer {
  readonly command: string;
  readonly value: unknown;
}

/** What the compiler finds wrong with the real answers, held against the types: missing keys, other keys, other values. */
export function shapeProblems(answers: readonly RealAnswer[]): string[] {
  const checks = answers.map(
    ({ command, value }, index) =>
      `// ${command}\nconst answer${index}: ${documentedAnswer(command)} = ${JSON.stringify(value)};`,
  );
  return compile(`${types}\n${checks.join("\n")}\nexport {};\n`);
}

/** Compares the events of the page with those of the code, by kind and field, and lists what differs. */
export function eventProblems(documented = types): string[] {
  const events = JSON.stringify(join(root, "src", "domain", "session", "event.ts"));
  return compile(`import type { EventBody, FeedEvent } from ${events};\n${documented}\n${COMPARE}`);
}

/** Fields by their path with the kind in front; one that may be missing ends in `?`. */
const COMPARE = `
type Snake<S extends string> = S extends \`\${infer A}\${infer B}\`
  ? \`\${A extends Lowercase<A> ? A : \`_\${Lowercase<A>}\`}\${Snake<B>}\`
  : S;
type Opaque = "metadata" | "input" | "params" | "result" | "governance_result" | "tool_calls" | "row";
type Wire<T> = T extends readonly (infer E)[]
  ? Wire<E>[]
  : T extends object
    ? { -readonly [K in keyof T as Snake<K & string>]: Snake<K & string> extends Opaque ? any : Wire<T[K]> }
    : T;
type Paths<T, At extends string> = T extends readonly (infer E)[]
  ? Paths<E, At>
  : T extends object
    ? { [K in keyof T & string]-?: Path<T, K, At> }[keyof T & string]
    : never;
type Path<T, K extends keyof T & string, At extends string> =
  | \`\${At}.\${K}\${{} extends Pick<T, K> ? "?" : ""}\`
  | (K extends Opaque ? never : Paths<NonNullable<T[K]>, \`\${At}.\${K}\`>);
type FieldsOf<T extends { kind: string }> = T extends unknown ? T["kind"] | Paths<Omit<T, "kind">, T["kind"]> : never;

type Body<T extends { kind: string }> = T extends unknown ? { kind: T["kind"] } & Wire<Omit<T, "kind">> : never;
type Flat<T> = T extends { kind: infer K; body: infer B } ? { kind: K & string } & B : never;
type Real = FieldsOf<Body<FeedEvent["body"]>>;
type Documented = FieldsOf<Flat<Event>>;

// not documented
export const undocumented: never = null as unknown as Exclude<Real, Documented>;
// documented, and not there
export const gone: never = null as unknown as Exclude<Documented, Real>;
// other values than documented
export const values: Flat<Event> = null as unknown as Body<EventBody>;
`;

/** Each problem with the comment above the line that it is in. */
function compile(code: string): string[] {
  using folder = tempFolder();
  const file = join(folder.path, "answers.ts");
  writeFileSync(file, code);
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  const args = ["--noEmit", "--strict", "--target", "es2023", "--ignoreConfig", "--noErrorTruncation", file];
  const more = [
    "--module",
    "nodenext",
    "--allowImportingTsExtensions",
    "--types",
    "node",
    "--typeRoots",
    TYPE_ROOTS,
  ];
  const { stdout } = spawnSync(process.execPath, [tsc, ...args, ...more], {
    encoding: "utf8",
    cwd: folder.path,
  });
  const lines = code.split("\n");
  return stdout.split("\n").flatMap((problem) => {
    const [, line] = /\((\d+),\d+\): error/.exec(problem) ?? [];
    return line === undefined
      ? []
      : [`${lines[Number(line) - 2]}: ${problem.slice(problem.indexOf("error"))}`];
  });
}
