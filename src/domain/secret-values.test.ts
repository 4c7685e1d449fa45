import { describe, expect, test } from "vitest";
import { secretValues } from "./secret-values.ts";

describe("secret values of an environment", () => {
  test.each([
    "GITHUB_TOKEN",
    "ANTHROPIC_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "db_password",
    "MYSQL_PWD",
    "SSH_PASSPHRASE",
    "PRIVATE_KEY_PEM",
    "npm_config_//registry.npmjs.org/:_authToken",
    "MY_APIKEY",
    "SERVICE_CREDENTIALS",
    "BASIC_AUTH",
    "SECRET",
  ])("takes the value of %s", (name) => {
    expect(secretValues({ [name]: "hunter2hunter2\n" })).toEqual(["hunter2hunter2"]);
  });

  test.each([
    "SSH_AUTH_SOCK",
    "AWS_ACCESS_KEY_ID",
    "TOKEN_PATH",
    "SECRET_NAME",
    "AUTH_URL",
    "TOKEN_LIMIT",
    "MAX_OUTPUT_TOKENS",
    "AUTHOR",
    "TOKENIZERS_PARALLELISM",
    "PWD",
    "PATH",
    "XAUTHORITY",
    "KEYBOARD",
  ])("leaves the value of %s alone", (name) => {
    expect(secretValues({ [name]: "hunter2hunter2" })).toEqual([]);
  });

  test("leaves short values, missing ones and the places of files alone", () => {
    const env = { TOKEN: "1234567", SECRET: undefined, GOOGLE_APPLICATION_CREDENTIALS: "/home/me/key.json" };
    expect(secretValues(env)).toEqual([]);
  });

  test("takes an address that holds a password", () => {
    expect(secretValues({ AUTH_URL: "https://u:p@host" })).toEqual(["https://u:p@host"]);
  });
});
