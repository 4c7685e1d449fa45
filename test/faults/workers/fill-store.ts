import { openRollcall, Session } from "../../../src/index.ts";

/** Makes a store with something in every table, some of it removed again, and closes it. */
const [home, workspace, sessions] = process.argv.slice(2) as [string, string, string];

await using rollcall = await openRollcall({ home, cwd: workspace, env: {} });
for (let n = 0; n < Number(sessions); n++) {
  const session = await Session.create(
    {
      name: `name-${n}`,
      agentName: `agent-${n % 3}`,
      taskId: `task-${n}`,
      file: false,
      goal: `goal number ${n}`,
    },
    { rollcall },
  );
  await rollcall.update(session.id, { phase: "planning", metadata: { place: `folder/${n}` } });
  for (let call = 0; call < 6; call++) {
    await session.addMessage({ role: "user", content: `message ${call} of session ${n}: please look at it` });
    await session.recordToolCall({ name: "call", params: { n: call }, result: `result ${call} `.repeat(12) });
    await session.addUsage({
      requestKey: `request-${call}`,
      model: "model-1",
      input: 100 + call,
      output: n,
      costUsd: 0.01,
    });
  }
  await rollcall.update(session.id, { error: `error ${n}` });
  const at = new Date().toISOString();
  await rollcall.context.store.addSamples([{ sessionId: session.id, sample: sampleAt(at) }]);
  await rollcall.context.store.logDelegation({
    at,
    agentName: "agent-1",
    taskId: `task-${n}`,
    sessionId: session.id,
    seq: 1,
    resume: false,
    reason: "not_ready",
  });
  if (n % 4 === 3) await rollcall.delete(session.id);
  else if (n % 4 === 2) await session.end("success");
}

function sampleAt(at: string): Parameters<typeof rollcall.context.store.addSamples>[0][number]["sample"] {
  return {
    at,
    overMs: 1,
    cpuPercent: 1,
    memoryRssBytes: 1,
    memoryVszBytes: 1,
    ioReadBytes: 1,
    ioWriteBytes: 1,
    ioReadChars: 1,
    ioWriteChars: 1,
    processes: 1,
    workspaceBytesUsed: 1,
  };
}
