import { parseAst } from "rolldown/parseAst";
import { NAMED_TYPES, UNNAMED_TYPE } from "../src/domain/session/agent-type.ts";
import { HOSTS } from "../src/domain/session/carried.ts";

/** As the parser gives it: a type, a place in the text, and other nodes below. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A node, and the text of any. */
interface Place {
  readonly node: Node;
  readonly textOf: (node: unknown) => string;
}

/**
 * Each place in this code that has the name of an agent as a value, key or member, or that tests whether an agent type
 * is the one for any other command. Names inside longer texts, as in help, are none.
 */
export function findAgentNames(code: string): string[] {
  return findPlaces(code, ({ node, textOf }) => {
    const [left, right] = comparedIn(node).map(textOf);
    if (left !== undefined && right !== undefined) {
      const sides = [left, right];
      return sides.includes("UNNAMED_TYPE") || (sides.includes(`"${UNNAMED_TYPE}"`) && sides.some(isOfType));
    }
    return NAMED_TYPES.some((name) => isNamed(node, name));
  });
}

/** Each place in this code that tests for a host's name; with `isData`, also each that names one. */
export function findHostTests(code: string, isData: boolean): string[] {
  return findPlaces(code, ({ node, textOf }) => {
    const compared = comparedIn(node);
    const isText = compared.some((side) => typeof literalIn(side) === "string");
    if (compared.some((side) => isHost(literalIn(side)))) return true;
    if (isText && compared.some((side) => /\bhost$/i.test(textOf(side)))) return true;
    // Streams and child processes have a `pipe`, too.
    if (isKey(node, "pty")) return true;
    return isData && literalIn(node) === "pty";
  });
}

function findPlaces(code: string, isOne: (place: Place) => boolean): string[] {
  const found: string[] = [];
  const textOf = (node: unknown) => (isNode(node) ? code.slice(node.start, node.end) : "");
  const walk = (node: Node) => {
    if (isOne({ node, textOf })) found.push(textOf(node));
    else for (const child of childrenOf(node)) walk(child);
  };
  walk(parseAst(code, { lang: "ts" }) as unknown as Node);
  return found;
}

function childrenOf(node: Node): Node[] {
  // A switch compares its value with each of its cases.
  if (node.type === "SwitchStatement") {
    const cases = (node.cases as Node[]).map((one) => ({ ...one, discriminant: node.discriminant }));
    return [node.discriminant as Node, ...(cases as Node[])];
  }
  return Object.entries(node).flatMap(([key, value]) =>
    key === "discriminant" && node.type === "SwitchCase" ? [] : [value].flat().filter(isNode),
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

/** The two sides of a comparison, else nothing. */
function comparedIn(node: Node): readonly unknown[] {
  if (node.type === "SwitchCase") return node.test === null ? [] : [node.discriminant, node.test];
  const isEquality = node.type === "BinaryExpression" && /^[!=]==?$/.test(node.operator as string);
  return isEquality ? [node.left, node.right] : [];
}

function isNamed(node: Node, name: string): boolean {
  return literalIn(node) === name || isKey(node, name);
}

/** Whether it is a member of this name, of a value, a type or an object that is written down. */
function isKey(node: Node, name: string): boolean {
  const key = node.type === "MemberExpression" ? node.property : node.key;
  return isNode(key) && node.computed !== true && key.type === "Identifier" && key.name === name;
}

function literalIn(node: unknown): unknown {
  if (!isNode(node)) return undefined;
  if (node.type === "Literal") return node.value;
  const [only, ...more] = node.type === "TemplateLiteral" ? (node.quasis as Node[]) : [];
  return only && more.length === 0 ? (only.value as { readonly cooked: string }).cooked : undefined;
}

function isOfType(text: string): boolean {
  return /type$/i.test(text);
}

function isHost(value: unknown): boolean {
  return (HOSTS as readonly unknown[]).includes(value);
}
