import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runsOf } from "../../testing/runs.ts";
import { createRedactor } from "./redact.ts";

// Put together from pieces so that no scanner takes an example for a leak.
const MIXED = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2bC4dE6fG8hJ";
const LOWER = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455667788990aabbccddeeff";
const KEY_BODY = `${MIXED.slice(0, 40)}\n`.repeat(8);
const KEY_BLOCK = (name: string) => `-----BEGIN ${name}KEY-----\n${KEY_BODY}-----END ${name}KEY-----`;

/** Kind, text, and the part of the text that is the secret. */
const EXAMPLES: readonly (readonly [kind: string, text: string, secret: string])[] = [
  alone("anthropic", `sk-ant-api03-${MIXED}-_${MIXED}AA`),
  alone("openai", `sk-${MIXED}`),
  alone("openai", `sk-proj-${MIXED}_${MIXED}`),
  alone("openai", `sk-svcacct-${MIXED}`),
  alone("openai", `sk-or-v1-${LOWER}`),
  alone("model-provider", `gsk_${MIXED}`),
  alone("github", `ghp_${MIXED.slice(0, 36)}`),
  alone("github", `gho_${MIXED.slice(0, 36)}`),
  alone("github", `ghu_${MIXED.slice(0, 36)}`),
  alone("github", `ghs_${MIXED.slice(0, 36)}`),
  alone("github", `ghr_${MIXED.slice(0, 36)}`),
  alone("github", `ghs_123456_eyJ${MIXED}.eyJ${MIXED}.${MIXED}`),
  alone("github", `github_pat_${MIXED.slice(0, 22)}_${MIXED}${MIXED.slice(0, 15)}`),
  alone("gitlab", `glpat-${MIXED.slice(0, 20)}`),
  alone("aws-key-id", "AK" + "IA" + "ABCDEFGH23456789"),
  alone("aws-key-id", "AS" + "IA" + "ABCDEFGH23456789"),
  alone("google", `AIza${MIXED.slice(0, 35)}`),
  alone("google", `ya29.${MIXED}-${MIXED}`),
  alone("google", `GOCSPX-${MIXED.slice(0, 28)}`),
  alone("slack", `xoxb-1234567890-1234567890-${MIXED.slice(0, 24)}`),
  alone("slack", `xapp-1-A0123456789-1234567890-${LOWER}`),
  alone("slack", `hooks.slack.com/services/T0123ABCD/B0123ABCD/${MIXED.slice(0, 24)}`),
  alone("stripe", `sk_live_${MIXED.slice(0, 24)}`),
  alone("stripe", `rk_live_${MIXED.slice(0, 24)}`),
  alone("stripe", `sk_test_${MIXED.slice(0, 24)}`),
  alone("npm", `npm_${MIXED.slice(0, 36)}`),
  alone("pypi", `pypi-AgEIcHlwaS5vcmc${MIXED}${MIXED}`),
  alone("hugging-face", `hf_${MIXED.slice(0, 34)}`),
  alone("docker", `dckr_pat_${MIXED.slice(0, 27)}`),
  alone("vault", `hvs.${MIXED}`),
  alone("sendgrid", `SG.${MIXED.slice(0, 22)}.${MIXED.slice(0, 43)}`),
  alone("twilio", `SK${LOWER.slice(0, 32)}`),
  alone("digitalocean", `dop_v1_${LOWER}`),
  alone("jwt", `eyJ${MIXED}.eyJ${MIXED}${MIXED}.${MIXED}`),
  alone("private-key", KEY_BLOCK("PRIVATE ")),
  alone("private-key", KEY_BLOCK("OPENSSH PRIVATE ")),
  alone("private-key", KEY_BLOCK("RSA PRIVATE ").replaceAll("\n", "\\n")),
  alone(
    "private-key",
    `-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${KEY_BODY}-----END EC PRIVATE KEY-----`,
  ),
  alone("private-key", `-----BEGIN PRIVATE KEY-----\n${KEY_BODY.trim()}`, "(cut short)"),
  after("authorization", "Authorization: Bearer ", MIXED),
  after("authorization", "authorization: basic ", "dXNlcjpwYXNz" + "d29yZA=="),
  after("authorization", '{"Authorization": "token ', MIXED, '"}'),
  after("authorization", "sent as bearer ", MIXED),
  after("aws-secret", "aws_secret_access_key = ", `${MIXED}/+`.slice(-40)),
  after("aws-secret", '"SecretAccessKey": "', MIXED.slice(0, 40), '"'),
  after("azure", "AccountName=x;AccountKey=", `${MIXED}${MIXED.slice(0, 42)}==`, ";EndpointSuffix"),
  after("url-password", "postgres://user:", "hunter2", "@localhost:5432/db"),
  after("url-password", "https://:", "p%40ss", "@example.com"),
  after("telegram", "bot 123456789:", `AA${MIXED.slice(0, 33)}`),
  after("discord", `M${MIXED.slice(0, 23)}.GhIjKl.`, MIXED.slice(0, 38)),
  after("assignment", 'api_key = "', "abcd1234", '"'),
  after("assignment", "DB_PASSWORD=", "Sup3rSecret", "\n"),
  after("assignment", "password: ", "h4ck-m3-pl3ase"),
  after("assignment", '{"client_secret":"', "q8w-7e!r6t", '"}'),
  after("assignment", '\\"token\\": \\"', "q8w7e6r5t4", '\\"'),
  after("assignment", 'const token: string = "', "q8w7e6r5t4", '";'),
  after("assignment", "config['passphrase'] = '", "q8w7e6r5t4", "'"),
  after("assignment", "GET /x?access_token=", "q8w7e6r5t4", "&page=2"),
  after("flag", "login --password ", "q8w7e6r5t4", " --now"),
];

const HARMLESS: readonly string[] = [
  "token_count = 12345678",
  "max_tokens: 128000, total_tokens=12345678",
  "password: string; token?: string | undefined",
  "password: z.string().min(8).max(128)",
  "const token = process.env.GITHUB_TOKEN2;",
  "token = await getToken(12345678)",
  "secret: Base64Secret, password = hash256Password;",
  "accessKey: S3AccessKeyProvider",
  `api_key: ${"$"}{{ secrets.API_KEY_2 }} and token=$GITHUB_TOKEN1`,
  'password = "<your-password-1>"',
  'tokenFile: "/run/secrets/token1"; secret: "/run/secrets/db2"',
  "The password must have 8 characters, a token: anything you like.",
  "Authorization: Bearer <token>",
  "Authorization: Bearer authentication is required",
  "bearer authentication-with-many-words is meant",
  "commit 3f785ac1b2d4e5f60718293a4b5c6d7e8f900112",
  "550e8400-e29b-41d4-a716-446655440000",
  "session-20251208-143052-abc123",
  "2025-12-08T14:30:52.123Z",
  "/home/user/project/src/domain/redact/redact.test.ts:12:34",
  `"integrity": "sha512-${MIXED}${MIXED.slice(0, 42)}=="`,
  "https://registry.npmjs.org:443/@scope/pkg/-/pkg-1.0.0.tgz",
  "http://localhost:3000/ and git@github.com:owner/name.git",
  `postgres://user:${"$"}{PASSWORD}@localhost/db`,
  `sk-learn and sk-fading-circle, task-${MIXED}`,
  "npm_config_registry npm_package_json hf_hub_download",
  `-----BEGIN CERTIFICATE-----\n${KEY_BODY}-----END CERTIFICATE-----`,
  'if (text.includes("-----BEGIN PRIVATE KEY-----")) return readTheKeyFrom(text);',
  "eyJ is how a token begins; AKIA too; SK12",
  "PWD=/srv/app/project2 OLDPWD=/home/user1",
  "14:30:52 [12345678:AB] done",
  "if (lastToken === 102/*f*/) return;",
];

const redactor = createRedactor([]);

describe("redacting by shape", () => {
  test.each(EXAMPLES)("hides %s, number %$", (kind, text, secret) => {
    expect(redactor.text(text)).toBe(text.replace(secret, () => `[REDACTED:${kind}]`));
  });

  test.each(HARMLESS)("leaves %j alone", (text) => {
    expect(redactor.text(text)).toBe(text);
  });

  test.each(EXAMPLES)("hides %s with an escape sequence at any place inside", (_kind, text, secret) => {
    for (let at = text.indexOf(secret) + 1; at < text.indexOf(secret) + secret.length; at++) {
      const redacted = redactor.text(`${text.slice(0, at)}\x1b[1;31m${text.slice(at)}`);
      expect(redacted.replace("\x1b[1;31m", "")).toBe(redactor.text(text));
      expect(redacted).toContain("\x1b[1;31m");
    }
  });

  test.each(EXAMPLES)("hides %s in color, letter by letter", (_kind, text, secret) => {
    const colored = text.replace(/[^\n]/g, "\x1b[38;5;12m$&\x1b[0m");
    expect(strip(redactor.text(colored))).not.toContain(secret);
  });

  test.each(EXAMPLES)("changes nothing when it redacts %s a second time", (_kind, text) => {
    expect(redactor.text(redactor.text(text))).toBe(redactor.text(text));
  });

  test("finds a token after an escaped line break, an encoded sign, a removed line and a cursor move", () => {
    const token = `ghp_${MIXED.slice(0, 36)}`;
    for (const before of ["line\\n", "x%3D", "+old\n-", "is\x1b[1C", "is\x9b1C"])
      expect(redactor.text(before + token)).toBe(`${before}[REDACTED:github]`);
  });

  test("hides both the token that is the user and the password of an address", () => {
    const text = `https://${`ghp_${MIXED.slice(0, 36)}`}:hunter2@github.com`;
    expect(redactor.text(text)).toBe("https://[REDACTED:github]:[REDACTED:url-password]@github.com");
  });

  test("hides a secret in the title and the link an escape sequence carries", () => {
    const token = `ghp_${MIXED.slice(0, 36)}`;
    expect(redactor.text(`\x1b]0;${token}\x07done`)).toBe("\x1b]0;[REDACTED:github]\x07done");
    expect(redactor.text(`\x1b]8;;https://u:pass1@h\x1b\\x`)).toBe(
      "\x1b]8;;https://u:[REDACTED:url-password]@h\x1b\\x",
    );
  });
});

describe("redacting by value", () => {
  const value = 'pa ss"wörd/1';
  const multiline = "first line\nsecond line\n";
  const known = createRedactor(["short", value, `${value}-longer`, multiline]);

  test("hides a value as it is, in JSON, in JSON within JSON and in a URL", () => {
    const json = JSON.stringify(value).slice(1, -1);
    for (const form of [value, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(value)])
      expect(known.text(`<${form}>`)).toBe("<[REDACTED:value]>");
  });

  test("hides the longest of two values that begin alike", () => {
    expect(known.text(`${value}-longer`)).toBe("[REDACTED:value]");
  });

  test("hides a value of several lines, also as a terminal writes it", () => {
    expect(known.text(`a ${multiline}b`)).toBe("a [REDACTED:value]b");
    expect(known.text(`a ${multiline.replaceAll("\n", "\r\n")}b`)).toBe("a [REDACTED:value]b");
  });

  test("ignores values shorter than 8 characters", () => {
    expect(known.text("short")).toBe("short");
  });

  test("keeps the escape sequences inside a value after its replacement", () => {
    expect(known.text('pa \x1b[1mss"w\x1b[0mörd/1!')).toBe("[REDACTED:value]\x1b[1m\x1b[0m!");
  });

  test("does not redact its own mark", () => {
    const greedy = createRedactor(["REDACTED", "[REDACTED:value]", "value]abc"]);
    expect(greedy.text("[REDACTED:value]abc")).toBe("[REDACTED:value]abc");
  });

  test("redacting twice gives the same as once", () => {
    const pieces = fc.constantFrom(
      ...EXAMPLES.map(([, text]) => text),
      ...HARMLESS,
      ...[
        "hunter2hunter2",
        "\x1b[31m",
        "[REDACTED:value]",
        "[REDACTED:jwt]",
        "\n",
        " ",
        "=",
        '"',
        "token=",
        "-",
        "\\n",
      ],
    );
    const greedy = createRedactor(["hunter2hunter2", "REDACTED", MIXED.slice(3, 15)]);
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const once = greedy.text(parts.join(""));
        expect(greedy.text(once)).toBe(once);
      }),
      { numRuns: runsOf(2000) },
    );
  });

  test("any value is hidden anywhere in any text", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, unit: "binary" }),
        fc.string(),
        fc.string(),
        (secret, before, after) => {
          fc.pre(!secret.includes("\x1b") && !secret.includes("\x9b") && !before.includes("\x1b"));
          expect(createRedactor([secret]).text(before + secret + after)).toContain("[REDACTED:value]");
        },
      ),
    );
  });

  test("text without secrets comes back untouched", () => {
    fc.assert(
      fc.property(fc.array(fc.lorem({ mode: "sentences" })), fc.string({ unit: "binary" }), (lines, rest) => {
        const text = lines.join("\n\x1b[0m") + rest;
        expect(known.text(text)).toBe(text);
      }),
    );
  });
});

describe("redacting a value of JSON", () => {
  const known = createRedactor(["hunter2hunter2"]);

  test("redacts strings and keys at any depth and leaves the input as it was", () => {
    const input = { a: ["x", { hunter2hunter2: "my hunter2hunter2" }], n: 1 };
    const copy = structuredClone(input);
    expect(known.value(input)).toEqual({ a: ["x", { "[REDACTED:value]": "my [REDACTED:value]" }], n: 1 });
    expect(input).toEqual(copy);
  });

  test("gives the same reference when nothing changed, and leaves what is no string alone", () => {
    fc.assert(fc.property(fc.jsonValue(), (json) => Object.is(known.value(json), json)));
    const others = {
      date: new Date(0),
      bytes: new Uint8Array(9),
      big: 1n,
      not: Number.NaN,
      none: undefined,
      zero: -0,
    };
    expect(known.value(others)).toBe(others);
    expect(known.value({ ...others, s: "hunter2hunter2" })).toEqual({ ...others, s: "[REDACTED:value]" });
  });

  test("keeps a key named __proto__ a key", () => {
    const redacted = known.value(JSON.parse('{"__proto__":{"x":"hunter2hunter2"},"y":1}'));
    expect(JSON.stringify(redacted)).toBe('{"__proto__":{"x":"[REDACTED:value]"},"y":1}');
    expect(Object.getPrototypeOf(redacted)).toBe(Object.prototype);
  });

  test("cuts off what is nested too deep instead of overflowing or leaking", () => {
    let deep: unknown = "hunter2hunter2";
    for (let level = 0; level < 100_000; level++) deep = level % 2 ? [deep] : { deep };
    expect(JSON.stringify(known.value(deep))).toContain("[REDACTED:depth]");
  });
});

function alone(kind: string, secret: string, rest = "and so on"): [string, string, string] {
  return [kind, `this: ${secret} ${rest}`, secret + (rest.startsWith("(") ? " " : "")];
}

function after(kind: string, before: string, secret: string, rest = " and so on"): [string, string, string] {
  return [kind, before + secret + rest, secret];
}

function strip(text: string): string {
  return text.replaceAll("\x1b[38;5;12m", "").replaceAll("\x1b[0m", "");
}
