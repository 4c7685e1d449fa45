import { UNNAMED_TYPE } from "../../domain/session/agent-type.ts";
import type { AgentType } from "../../domain/session/session.ts";

interface DemoSession {
  readonly name: string;
  /** A description for the roll of the demo; `command` is the one to try with it. */
  readonly shows: string;
  readonly command: string;
  readonly agentType: AgentType;
  readonly args: readonly string[];
  readonly goal: string;
  readonly prompt?: string;
}

/**
 * Sorts numbers between two readings of the clock, so that CPU moves on the roll. Keeps 1.3 MB more each time, up to some
 * 30 MB, so that memory moves whenever it is sampled: a sample hardly ever meets the sort itself.
 */
const CLOCK = [
  "while :; do seq 150000 | sort -R >/dev/null",
  'kept="$kept$(seq 200000)"; [ "$(printf %s "$kept" | wc -c)" -gt 30000000 ] && kept=',
  "date +%T; sleep 3; done",
].join("; ");

/** No model is called; this one has a price, so that the demo shows what such a fleet would cost. */
const PRICED_MODEL = "gpt-5";

/** The mark in the metadata of a session of the demo: only what carries it is ended with the demo. */
export const DEMO_MARK = "rollcall_demo";

/** One of each kind that a person meets. */
export const DEMO_FLEET: readonly DemoSession[] = [
  scripted("demo-writer", "works and streams", "rollcall attach demo-writer", {
    goal: "Write the release notes",
    prompt: 'think Which changes matter? ; tool Read {"file":"CHANGELOG.md"} ; spend 1000 150',
  }),
  scripted("demo-deploy", "asks permission", "rollcall approve demo-deploy", {
    goal: "Roll out version 2",
    prompt:
      'say Everything is built. ; ask Bash {"command":"kubectl apply -f deploy.yaml"} ; stream 60 100 ; say Done.',
  }),
  scripted("demo-planner", "asks a question", "rollcall answer demo-planner 1", {
    goal: "Plan the move to the new cluster",
    prompt: "question Which cluster? staging | production | neither ; stream 40 100 ; say The plan is ready.",
  }),
  scripted("demo-chat", "waits at its prompt", "rollcall send demo-chat hello --wait", {
    goal: "Help with whatever comes up",
    prompt: "say What shall I do?",
  }),
  {
    name: "demo-clock",
    shows: "a plain command",
    command: "rollcall logs demo-clock",
    agentType: UNNAMED_TYPE,
    args: ["sh", "-c", CLOCK],
    goal: "Tell the time",
  },
  scripted("demo-tests", "fails after 8 seconds", "rollcall explain demo-tests", {
    goal: "Run the nightly tests",
    prompt: 'tool Bash {"command":"npm test"} ; work 8s ; say 3 of 212 tests failed. ; exit 1',
  }),
];

function scripted(
  name: string,
  shows: string,
  command: string,
  { goal, prompt }: { readonly goal: string; readonly prompt: string },
): DemoSession {
  return { name, shows, command, agentType: "scripted", args: ["--model", PRICED_MODEL], goal, prompt };
}
