import type { Client } from "../../client/client.ts";
import type { SessionRecord } from "../../domain/session/session.ts";
import { plural } from "../../present/format.ts";
import type { Rollcall } from "../../record/rollcall.ts";
import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import type { Output } from "../framework/output.ts";
import { withDaemon } from "../live.ts";
import { DEMO_FLEET, DEMO_MARK } from "../sessions/demo-fleet.ts";
import { type Ended, isProven, notProven } from "../sessions/ended.ts";
import { paint, table } from "../table.ts";

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Starts a small fleet of Rollcall's own scripted agent beside your sessions: one that works, one that asks permission, one that asks a question, one at its prompt, a plain command and one that fails. No model is called.\nThose that run already are left alone. --end ends exactly these and removes nothing.",
  options: { end: { about: "end the sessions of the demo" }, json: JSON_OPTION },
  examples: [
    ["rollcall demo", "then look with `rollcall` or `rollcall top`"],
    ["rollcall demo --end", "and they are gone"],
  ],
  async run(input, output) {
    return withDaemon(output, async (client, rollcall) => {
      const running = await demoSessions(rollcall);
      return has(input, "end") ? end(client, running, output) : start(client, running, output);
    });
  },
};

async function demoSessions(rollcall: Rollcall): Promise<SessionRecord[]> {
  const live = await Array.fromAsync(rollcall.list({ activeOnly: true }));
  return live.filter(({ origin, metadata }) => origin === "started" && metadata[DEMO_MARK] === true);
}

async function start(client: Client, running: readonly SessionRecord[], output: Output): Promise<number> {
  const missing = DEMO_FLEET.filter(({ name }) => !running.some((session) => session.name === name));
  const started = await Promise.all(
    missing.map(async ({ name, agentType, args, goal, prompt }) =>
      client.call<SessionRecord>("start_session", {
        ...{ name, agentType, args, goal, kind: "interactive", channel: "cli" },
        ...(prompt === undefined ? {} : { prompt }),
        metadata: { [DEMO_MARK]: true },
        cwd: process.cwd(),
        env: process.env,
        file: false,
      }),
    ),
  );
  if (output.isJson) output.json({ sessions: started });
  else output.line(describe(started.length, output.width));
  return 0;
}

function describe(started: number, width: number): string {
  const rows = table(
    DEMO_FLEET,
    [
      { title: "NAME", text: ({ name }) => `  ${name}`, style: () => "bold" },
      { title: "WHAT IT SHOWS", text: ({ shows }) => shows, isFlexible: true, isOptional: true },
      { title: "TRY", text: (session) => session.command, style: () => "cyan" },
    ],
    { width, header: false },
  );
  const first = started === 0 ? "The demo runs already:" : `Started ${plural(started, "session")}:`;
  return [
    paint("bold", first),
    "",
    ...rows,
    "",
    "See them with `rollcall` or `rollcall top`; end them with `rollcall demo --end`.",
  ].join("\n");
}

async function end(client: Client, running: readonly SessionRecord[], output: Output): Promise<number> {
  const ended = await Promise.all(
    running.map(async ({ id }) => client.call<Ended>("end_session", { sessionId: id, channel: "cli" })),
  );
  const unproven = ended.find((each) => !isProven(each));
  if (unproven && !output.isJson) throw notProven(unproven);
  if (output.isJson) output.json({ results: ended });
  else if (ended.length === 0) output.line("The demo does not run.");
  else output.line(`Ended ${plural(ended.length, "session")} of the demo; no process is left.`);
  return unproven ? 4 : 0;
}
