import { describe, expect, test } from "vitest";
import { createHider, createRedactor } from "./redact.ts";
import { RedactingStream } from "./redact-stream.ts";

const TOKEN = "ghp_9aK2mXw7QzLp4VtRb8NcYd3Fs6HjGe1UoI5k";
const VALUE = "q7-Lm2vX9-bT4kW8-zR1nC6-hY3pD5";

/** What a recording keeps of a line that is drawn again at each key. */
function redrawn(secret: string, known: readonly string[]): string {
  const stream = new RedactingStream(createRedactor(known));
  const drawn = Array.from(secret, (_, at) => stream.push(`\r\u001b[K$ login ${secret.slice(0, at + 1)}`));
  return drawn.join("") + stream.end();
}

function longestPartIn(text: string, secret: string): number {
  let length = secret.length;
  while (length > 0 && !text.includes(secret.slice(0, length))) length--;
  return length;
}

describe("a line that is drawn again at each key", () => {
  test("shows less than two thirds of a known value", () => {
    expect(longestPartIn(redrawn(VALUE, [VALUE]), VALUE)).toBeLessThan((VALUE.length * 2) / 3);
  });

  test("shows less than two thirds of a token of a known shape", () => {
    expect(longestPartIn(redrawn(TOKEN, []), TOKEN)).toBeLessThan((TOKEN.length * 2) / 3);
  });
});

describe("the beginning of a known value", () => {
  const { text } = createRedactor([VALUE, "elephant-house-17", "https://hooks.example.org/in/x1y2z3w4"]);

  test("is hidden from well over half of it on", () => {
    expect(text(`it was ${VALUE.slice(0, 20)}, I think`)).toBe("it was [REDACTED:value], I think");
    expect(createHider([VALUE])(VALUE.slice(0, -1))).toBe("[REDACTED:value]");
    expect(text(VALUE.slice(0, 10))).toBe(VALUE.slice(0, 10));
  });

  test("is hidden with all that follows of it", () => {
    expect(text(`${VALUE}${VALUE.slice(0, 25)}!`)).toBe("[REDACTED:value][REDACTED:value]!");
  });

  test("stays readable where it is a word, or the host of an address", () => {
    const prose = "The elephant is in https://hooks.example.org/in/ now";
    expect(text(prose)).toBe(prose);
  });
});
