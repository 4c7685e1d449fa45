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
    "PGPASSWORD",
    "SSHPASS",
    "OPENAI_KEY",
    "AZURE_OPENAI_KEY",
    "DD_APP_KEY",
    "STRIPE_KEY",
    "CLIENTSECRET",
    "SECRETKEY",
    "ACCESSTOKEN",
    "COOKIE",
    "SESSION_COOKIE",
    "SUPABASE_SERVICE_ROLE_KEY",
    "clientSecret",
    "SESSION_JWT",
    "OPENAIKEY",
    "masterKey",
    "DB_CREDS",
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
    "PUBLIC_KEY",
    "PARTITION_KEY",
    "SSH_PUBKEY",
    "PUBLICKEY",
    "HOTKEY",
    "BYPASS",
    "GIT_COMPASS",
    "COOKIE_DOMAIN",
    "WEBHOOK_SECRET_NAME",
    "WEBHOOK_URL",
  ])("leaves the value of %s alone", (name) => {
    expect(secretValues({ [name]: "hunter2hunter2" })).toEqual([]);
  });

  test("leaves short values, missing ones and the places of files alone", () => {
    const env = { TOKEN: "1234567", SECRET: undefined, GOOGLE_APPLICATION_CREDENTIALS: "/home/me/key.json" };
    expect(secretValues(env)).toEqual([]);
  });

  test.each(["postgres", "password", "localhost", "Password123", "changeme"])(
    "leaves the common word %s alone, whatever variable holds it",
    (word) => {
      expect(secretValues({ PGPASSWORD: word, DB_SECRET: word, API_TOKEN: `${word}\n` })).toEqual([]);
    },
  );

  test("leaves a mere word under the name of a key alone", () => {
    expect(secretValues({ DEFAULT_KEY: "customer_id", OPENAI_KEY: "sk1customer_id" })).toEqual([
      "sk1customer_id",
    ]);
  });

  test("takes the address of a webhook", () => {
    const address = "https://hooks.example.org/in/T0/B0/x1y2z3";
    expect(secretValues({ WEBHOOK_URL: address, TEAM_WEBHOOK: address, WEBHOOK_PORT: address })).toEqual([
      address,
    ]);
  });

  test("takes an address that holds a password", () => {
    expect(secretValues({ AUTH_URL: "https://u:p@host" })).toEqual(["https://u:p@host"]);
  });
});
