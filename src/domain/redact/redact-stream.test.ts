import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor, type Redactor } from "./redact.ts";
import { RedactingStream } from "./redact-stream.ts";

const MIXED = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2bC4dE6fG8hJ";
const KEY_BODY = `${MIXED.slice(0, 40)}\n`.repeat(6);
const JWT = `${"ey" + "J"}${MIXED}.${"ey" + "J"}${MIXED.repeat(9)}.${MIXED}`;

const TEXTS: readonly string[] = [
  `the key sk-${"ant-api03-"}${MIXED}${MIXED} is gone`,
  `two: gh${"p_"}${MIXED.slice(0, 36)},gl${"pat-"}${MIXED.slice(0, 20)}\n`,
  `AK${"IA"}ABCDEFGH23456789 and AI${"za"}${MIXED.slice(0, 35)}`,
  `jwt=${JWT};`,
  `before\n-----BEGIN RSA PRIVATE KEY-----\n${KEY_BODY}-----END RSA PRIVATE KEY-----\nafter`,
  `cut -----BEGIN PRIVATE KEY-----\n${KEY_BODY}{}`,
  `-----BEGIN PRIVATE KEY-----\n${KEY_BODY}-----BEGIN PRIVATE KEY-----\n${KEY_BODY}-----END PRIVATE KEY-----`,
  `curl -H "Authorization: Bearer ${MIXED}" https://user:hunter2@host/x`,
  'const apiKey: string = "abcd1234"; password: h4ck-m3-pl3ase; token_count = 12345678',
  `{\\"token\\": \\"q8w7e6r5t4\\"} GET /?access_token=q8w7e6r5t4&x=1 --password q8w7e6r5t4 x`,
  `bot 123456789:AA${MIXED.slice(0, 33)} M${MIXED.slice(0, 23)}.GhIjKl.${MIXED.slice(0, 38)} end`,
  `\x1b[1mgh${"p_"}\x1b[0m${MIXED.slice(0, 20)}\x1b[38;5;200m${MIXED.slice(20, 36)}\x1b[0m is\x1b[1Csk_${"live_"}${MIXED}`,
  `\x1b]0;title hunter2hunter2\x07\x1b]8;;https://u:pass1@h\x1b\\link\x1b(B\x1bM\x1bPq#0\x1b\\ plain`,
  "first line\nsecond\x1b[K line\nthird and a hunter2hunter2-long and hunter2hunter2 and hunter2hunter",
];

const redactor = createRedactor(["hunter2hunter2", "hunter2hunter2-long", "first line\nsecond line\nthird"]);

describe("a redacting stream", () => {
  test.each(TEXTS)("gives out the same for text %$, wherever it is cut", (text) => {
    const whole = redactor.text(text);
    for (let at = 0; at <= text.length; at++)
      expect(stream(redactor, [text.slice(0, at), text.slice(at)])).toBe(whole);
    expect(stream(redactor, text.split(""))).toBe(whole);
  });

  test("gives out the same for any mixture in any chunks", () => {
    const parts = fc.array(fc.constantFrom(...TEXTS, " ", "\n", "\x1b[31m", "s", "ghp", "token=", "--"), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        parts,
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 9 }),
        (texts, sizes) => {
          const text = texts.join(" ");
          expect(stream(redactor, chunksOf(text, sizes))).toBe(redactor.text(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("gives out ordinary text at once, prompts and echoed letters included", () => {
    const streaming = new RedactingStream(redactor);
    for (const chunk of ["user@box:~$ ", "l", "o", "w", "Password: ", "\x1b[2K\r", "42%", "\n"])
      expect(streaming.push(chunk)).toBe(chunk);
  });

  test("gives out what introduces a secret before the secret", () => {
    const streaming = new RedactingStream(redactor);
    expect(streaming.push('api_key = "')).toBe('api_key = "');
    expect(streaming.push("abcd")).toBe("");
    expect(streaming.push('1234" ok\n')).toBe('[REDACTED:assignment]" ok\n');
  });

  test("holds an escape sequence until it is whole", () => {
    const streaming = new RedactingStream(redactor);
    expect(streaming.push("red \x1b[3")).toBe("red ");
    expect(streaming.push("1m")).toBe("\x1b[31m");
    expect(streaming.push("\x1b]0;title")).toBe("");
    expect(streaming.push("\x1b")).toBe("");
    expect(streaming.push("\\ok ")).toBe("\x1b]0;title\x1b\\ok ");
  });

  test.each([
    ["a word that never ends", `sk-${"ant-"}`, "a"],
    ["a value that never ends", "token=", "a1"],
    ["a title that never ends", "\x1b]0;", "t"],
    ["lines of a private key that never ends", "-----BEGIN PRIVATE KEY-----\n", `${MIXED.slice(0, 40)}\n`],
  ])("holds back a bounded amount of %s", (_what, start, more) => {
    const streaming = new RedactingStream(redactor);
    let held = start.length - streaming.push(start).length;
    for (let given = 0; given < 100_000; given += more.length)
      held += more.length - streaming.push(more).length;
    expect(streaming.end().length).toBeLessThan(17_000);
    expect(held).toBeLessThan(34_000);
  });

  test("can be used again after its end", () => {
    const streaming = new RedactingStream(redactor);
    expect(streaming.push("hunter2") + streaming.end()).toBe("hunter2");
    expect(streaming.push("hunter2 hunter2hunter2 ") + streaming.end()).toBe("hunter2 [REDACTED:value] ");
  });
});

function stream(by: Redactor, chunks: readonly string[]): string {
  const streaming = new RedactingStream(by);
  return chunks.map((chunk) => streaming.push(chunk)).join("") + streaming.end();
}

function chunksOf(text: string, sizes: readonly number[]): string[] {
  const chunks: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}
