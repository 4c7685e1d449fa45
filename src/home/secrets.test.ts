import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { Session } from "../index.ts";
import { adviseDelegation } from "../record/delegate/delegate.ts";
import { delegation } from "../testing/delegation.ts";
import { tempWorld, type World } from "../testing/temp-rollcall.ts";

// Put together from pieces so that no scanner takes an example for a leak.
const FROM_ENVIRONMENT = ["hunter2", "hunter2", "hunter2"].join("-");
const REGISTERED = ["open", "sesame", "0815"].join("/");
const BY_SHAPE = `ghp_${"aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2bC4".slice(0, 36)}`;
const SECRETS = { FROM_ENVIRONMENT, REGISTERED, BY_SHAPE };

describe.each(Object.entries(SECRETS))("a secret that is known %s", (_how, secret) => {
  test("is found nowhere, wherever it was planted", async () => {
    using world = tempWorld();
    await plantEverywhere(world, secret);
    expect(filesWith(dirname(world.home), secret)).toEqual([]);
  });

  test("is not shown by what the library hands out either", async () => {
    using world = tempWorld();
    await using rollcall = await openWith(world);
    const session = await Session.create({ goal: secret, metadata: { key: secret } }, { rollcall });
    await session.addMessage({ role: "user", content: `use ${secret} for it` });
    await session.recordToolCall({ name: "t", params: { secret }, result: [secret] });
    const events = await Array.fromAsync(rollcall.events(session.id));
    expect(JSON.stringify([session.messages, session.toolCalls, session.record, events])).not.toContain(
      secret,
    );
    expect(session.messages[0]?.content).toMatch(/^use .* for it$/);
  });
});

test("what is no secret is kept as it is", async () => {
  using world = tempWorld();
  await using rollcall = await openWith(world);
  const metadata = {
    text: "a plain sentence",
    number: 42,
    list: [null, true],
    nested: { snake_key: "value" },
  };
  expect((await rollcall.create({ metadata })).metadata).toEqual(metadata);
});

async function plantEverywhere(world: World, secret: string): Promise<void> {
  await using rollcall = await openWith(world);
  const session = await Session.create(
    {
      name: `n ${secret.replaceAll("/", "-")}`,
      goal: secret,
      agentName: secret,
      taskId: secret,
      metadata: { a: secret, deep: [{ b: `(${secret})` }], [secret]: 1 },
    },
    { rollcall },
  );
  await session.addMessage({ role: "user", content: `the key is ${secret}.` });
  await session.addMessage({
    role: "assistant",
    content: "",
    toolCalls: [{ arguments: secret }],
    name: secret,
  });
  await session.recordToolCall({
    name: "deploy",
    params: { token: secret },
    result: { out: `ok ${secret}` },
    governanceResult: secret,
  });
  await session.addUsage({ input: 1, model: secret });
  await rollcall.update(session.id, {
    error: `401 for ${secret}`,
    metadata: { again: secret },
    phase: "approval",
  });
  await rollcall.upsert([{ id: "upserted", goal_text: secret, metadata: { secret } }]);
  await adviseDelegation(rollcall, delegation({ agentName: secret, taskId: secret, agentId: session.id }));
  await rollcall.finalize(session.id, "completed", { summary: `used ${secret}` });
  await rollcall.backup(join(world.home, "backup.db"));
}

function openWith(world: World) {
  return world.open({ env: { DEPLOY_TOKEN: FROM_ENVIRONMENT }, secrets: [REGISTERED] });
}

/** Every file below a folder that holds these bytes, also in the form that JSON gives them. */
function filesWith(folder: string, secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1)].map((form) => Buffer.from(form));
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((found) =>
    found.isFile(),
  );
  expect(names.length).toBeGreaterThan(3);
  return names
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => forms.some((form) => readFileSync(path).includes(form)));
}
