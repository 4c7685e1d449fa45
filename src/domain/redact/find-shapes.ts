import { once } from "../once.ts";
import {
  BORDER,
  type FoundSecret,
  HIDDEN_SHAPE,
  INTRODUCED_SHAPES,
  INTRODUCTION,
  type IntroducedShape,
  KEY_BLOCK,
  KEY_BLOCK_BODY,
  KEY_BLOCK_HEAD,
  LONGEST_CONTEXT,
  LONGEST_SHAPE,
  looksRandom,
  TOKEN_SHAPES,
} from "./secret-shapes.ts";

/** Every secret of a known shape, in order, none overlapping. Linear time: all patterns are bounded. */
export function findShapes(text: string): FoundSecret[] {
  if (isCold() && isPlain(text)) return [];
  const tokens = findTokens(text);
  const introduced = findIntroduced(hide(text, tokens));
  if (tokens.length === 0) return introduced;
  return [...tokens, ...introduced].sort((a, b) => a.start - b.start);
}

let asked = 0;

/** Building the patterns takes longer than many a command runs: a few short words are looked at without them. */
function isCold(): boolean {
  asked += 1;
  return asked <= 64;
}

/** Tokens of Slack. */
const SHORTEST_TOKEN = 15;

/** Has nothing in it that every secret has: no head of a token, and nothing that introduces one. */
function isPlain(text: string): boolean {
  if (text.length > 200 || /[:=%]|--|\..*\.|bearer/i.test(text)) return false;
  return text.length < SHORTEST_TOKEN || !HEADS.some((head) => text.includes(head));
}

/** Where a secret may begin that the end of the text breaks off, or the length of the text. */
export function openShape(text: string): number {
  return Math.min(openToken(text), openIntroduced(hide(text, findTokens(text))), openKeyBlock(text));
}

function findTokens(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  const head = headPattern();
  head.lastIndex = 0;
  for (let match = head.exec(text); match !== null; match = head.exec(text)) {
    const isBlock = match[0] === KEY_BLOCK_HEAD;
    const whole = isBlock ? keyBlockPattern() : tokenPattern();
    whole.lastIndex = match.index;
    const groups = whole.exec(text);
    if (groups === null) continue;
    const kind = isBlock ? "private-key" : (TOKEN_KINDS[matchedGroup(groups)] as string);
    found.push({ start: match.index, end: whole.lastIndex, kind });
    head.lastIndex = whole.lastIndex;
  }
  return found;
}

function hide(text: string, found: readonly FoundSecret[]): string {
  if (found.length === 0) return text;
  let hidden = "";
  let done = 0;
  for (const { start, end } of found) {
    hidden += text.slice(done, start) + HIDDEN_SHAPE.repeat(end - start);
    done = end;
  }
  return hidden + text.slice(done);
}

function findIntroduced(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  const head = introductionPattern();
  const whole = introducedPattern();
  head.lastIndex = 0;
  for (let match = head.exec(text); match !== null; match = head.exec(text)) {
    head.lastIndex = match.index + 1;
    whole.lastIndex = match.index;
    const groups = whole.exec(text);
    if (groups === null) continue;
    const index = matchedGroup(groups);
    const secret = groups[index] as string;
    const { kind, accepts = looksRandom } = INTRODUCED_SHAPES[index - 1] as IntroducedShape;
    const end = whole.lastIndex;
    const start = end - secret.length;
    if (!accepts(secret, text.slice(match.index, start))) continue;
    found.push({ start, end, kind });
    head.lastIndex = end;
  }
  return found;
}

function matchedGroup(match: RegExpExecArray): number {
  return match.findIndex((group, at) => at > 0 && group !== undefined);
}

function openToken(text: string): number {
  const pattern = openTokenPattern();
  pattern.lastIndex = runStart(text, /[\w.+/:=-]/);
  return pattern.exec(text)?.index ?? text.length;
}

function openIntroduced(text: string): number {
  const run = runStart(text, /[^\s"'`\\<>]/);
  const pattern = beforePattern();
  pattern.lastIndex = Math.max(0, run - LONGEST_CONTEXT);
  let open = text.length;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (pattern.lastIndex >= run) open = Math.min(open, pattern.lastIndex);
    pattern.lastIndex = match.index + 1;
  }
  return open;
}

function openKeyBlock(text: string): number {
  const start = text.lastIndexOf(KEY_BLOCK_HEAD);
  if (start >= 0 && openKeyBlockPattern().test(text.slice(start))) return start;
  for (let length = KEY_BLOCK_HEAD.length - 1; length > 0; length--)
    if (text.endsWith(KEY_BLOCK_HEAD.slice(0, length))) return text.length - length;
  return text.length;
}

/** Where the characters begin that reach to the end of the text without a break. */
function runStart(text: string, character: RegExp): number {
  const first = Math.max(0, text.length - LONGEST_SHAPE);
  let start = text.length;
  while (start > first && character.test(text[start - 1] as string)) start--;
  return start;
}

const HEADS = TOKEN_SHAPES.flatMap((shape) => shape.heads);
/** By number of the group. */
const TOKEN_KINDS = ["", ...TOKEN_SHAPES.map((shape) => shape.kind)];

const headPattern = once(() => {
  const shortest = HEADS.filter((head) => !HEADS.some((other) => other !== head && head.startsWith(other)));
  const any = `(?:${shortest.map(literal).join("|")})`;
  // The border is looked at last: the letters are rarer.
  return new RegExp(`${any}(?<=${BORDER}${any})|${KEY_BLOCK_HEAD}`, "g");
});

const tokenPattern = once(() => {
  const tokens = TOKEN_SHAPES.map(({ heads, body }) => `((?:${heads.map(literal).join("|")})${body})`);
  return new RegExp(`${BORDER}(?:${tokens.join("|")})`, "y");
});

const keyBlockPattern = once(() => new RegExp(KEY_BLOCK_HEAD + KEY_BLOCK, "y"));

const introductionPattern = once(() => new RegExp(INTRODUCTION, "g"));

const introducedPattern = once(
  () => new RegExp(INTRODUCED_SHAPES.map(({ before, secret }) => `${before}(${secret})`).join("|"), "y"),
);

const beforePattern = once(() => new RegExp(INTRODUCED_SHAPES.map(({ before }) => before).join("|"), "g"));

const openTokenPattern = once(() => {
  const cut = new Set(HEADS.flatMap((head) => [...head].map((_, at) => head.slice(0, at)).slice(1)));
  const open = [...HEADS.map(literal), `(?:${[...cut].map(literal).join("|")})$`];
  return new RegExp(`${BORDER}(?:${open.join("|")})`, "g");
});

const openKeyBlockPattern = once(
  () =>
    new RegExp(
      `^${KEY_BLOCK_HEAD}[A-Z0-9 ]{0,50}(?:-{0,5}$|-----${KEY_BLOCK_BODY}(?:-----[A-Z0-9 ]{0,60}-{0,4})?$)`,
    ),
);

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
