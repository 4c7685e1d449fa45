import { expect, test } from "vitest";
import { refusalOf, takeCredentials } from "./access.ts";

const CREDENTIALS = { port: 4711, password: "the-password" };
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const GOOD = { authorization: basic("scripted:the-password"), host: "127.0.0.1:4711" };

test.each([
  ["the password", GOOD, undefined],
  ["the name localhost", { ...GOOD, host: "localhost:4711" }, undefined],
  ["its own origin", { ...GOOD, origin: "http://127.0.0.1:4711" }, undefined],
  ["no password", { host: GOOD.host }, 401],
  ["another password", { ...GOOD, authorization: basic("scripted:another") }, 401],
  ["another user", { ...GOOD, authorization: basic("root:the-password") }, 401],
  ["a longer password", { ...GOOD, authorization: basic("scripted:the-password2") }, 401],
  ["no password by another name", { host: "evil.example:4711" }, 401],
  ["the password by another name", { ...GOOD, host: "evil.example:4711" }, 403],
  ["the password at another port", { ...GOOD, host: "127.0.0.1:80" }, 403],
  ["the password and no name", { authorization: GOOD.authorization }, 403],
  ["the password from a page of a browser", { ...GOOD, origin: "https://evil.example" }, 403],
  ["the password from a page without an origin", { ...GOOD, origin: "null" }, 403],
])("a request with %s is let in or refused", (_, headers, status) => {
  expect(refusalOf(headers, CREDENTIALS)).toBe(status);
});

test("port and password are gone from the environment once they are read", () => {
  const env = { PATH: "/bin", SCRIPTED_AGENT_PORT: "4711", SCRIPTED_AGENT_PASSWORD: "the-password" };
  expect(takeCredentials(env)).toEqual(CREDENTIALS);
  expect(env).toEqual({ PATH: "/bin" });
});

test.each([{}, { SCRIPTED_AGENT_PORT: "4711" }, { SCRIPTED_AGENT_PORT: "x", SCRIPTED_AGENT_PASSWORD: "p" }])(
  "%o is not enough to serve with",
  (env) => {
    expect(() => takeCredentials({ ...env })).toThrow(/SCRIPTED_AGENT_PASSWORD/);
  },
);
