import { spawnSync } from "node:child_process";
import { cliMissing, LAUNCHER } from "./cli.ts";
import type { Bench, Figure, NotRun } from "./figure.ts";
import { interleave } from "./measure.ts";
import { childEnv } from "./scratch.ts";
import { createSessions, openIn } from "./sessions.ts";

const ROUNDS = 25;
const SESSIONS = 100;

/** Whole processes of the command line against a Node that does nothing. */
export async function* startUp(bench: Bench): AsyncIterable<Figure | NotRun> {
  const home = bench.scratch.folder();
  const id = await makeSession(home);
  const input = JSON.stringify({
    agent_id: id,
    agent_name: "terraform-architect",
    task_id: "task-0",
    task_description: "Go on with the plan.",
    metadata: {},
  });
  const commands = [
    { name: "start-get", args: ["get", id, "--json"], says: `"id":"${id}"` },
    { name: "start-pre-delegate", args: ["hook", "pre-delegate"], says: '"session_resumable"' },
    { name: "start-help", args: ["--help"], says: "should-resume" },
  ];
  for (const { name, args, says } of commands) {
    const notRun = cliMissing();
    if (notRun) {
      yield { name, notRun };
      continue;
    }
    const compared = await interleave({
      rounds: ROUNDS,
      ours: () => msToRun({ args: [LAUNCHER, ...args], home, input, says }),
      baseline: () => msToRun({ args: ["-e", "0"], home, input, says: "" }),
    });
    const note = `rollcall ${args[0]} against node -e 0`;
    yield { name, ...compared, value: compared.ratio, valueUnit: "x", unit: "ms", note };
  }
}

interface Run {
  readonly args: readonly string[];
  readonly home: string;
  readonly input: string;
  /** A wrong answer is quick: what the output must hold, spaces aside. */
  readonly says: string;
}

function msToRun({ args, home, input, says }: Run): number {
  const env = childEnv({ ROLLCALL_HOME: home });
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: home, env, input });
  const took = performance.now() - started;
  const isRight = status === 0 && stdout.toString().replaceAll(" ", "").includes(says);
  if (!isRight) throw new Error(`${args.join(" ")} exited with ${status}: ${stdout}${stderr}`);
  return took;
}

async function makeSession(home: string): Promise<string> {
  await using rollcall = await openIn(home);
  const [first = ""] = await createSessions(rollcall, SESSIONS);
  return first;
}
