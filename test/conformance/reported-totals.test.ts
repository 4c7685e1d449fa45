import { expect, test } from "vitest";
import { type Lab, newLab } from "./lab.ts";
import { matrix } from "./matrix.ts";
import { begin } from "./turn.ts";
import type { Watched } from "./watched.ts";

const USED = "[[usage:in=100,out=20,cacheRead=3000,cacheWrite=400]]";
const HELPER = JSON.stringify({
  ...{ description: "helper", subagent_type: "general-purpose" },
  prompt: "[[usage:in=5,out=6,cacheRead=7,cacheWrite=8]][[text:helped]]",
});
const DELEGATES = `${USED}[[call:Task ${HELPER}]][[then]][[text:done]]`;

/** The first turn of Claude has a sub-agent, which its totals count; threads of Codex are counted one by one. */
const PROGRAMS = {
  claude: {
    text: DELEGATES,
    args: ["--model", "claude-haiku-4-5", "--", "--allowedTools", "Task Agent"],
    sources: { interactive: ["transcript"], autonomous: ["stream", "transcript"] },
    subagents: 1,
    reported: /^reported {3}3520 tokens, \$0.0010 by its (stream|transcript)$/m,
  },
  codex: {
    text: `${USED}[[tool:echo x]][[then]][[text:done]]`,
    args: [],
    sources: { interactive: ["transcript"], autonomous: ["stream"] },
    subagents: 0,
    reported: /^reported {3}3520 tokens, — by its (stream|transcript)$/m,
  },
} as const;

interface Reconciled {
  readonly agrees: boolean;
  readonly requests: number;
  readonly subagents: readonly string[];
  readonly counted: { readonly tokens_total: number };
  readonly sources: readonly {
    readonly source: string;
    readonly agrees: boolean | null;
    readonly models: readonly unknown[];
  }[];
}

// The totals of Gemini CLI and OpenCode are not read.
matrix(
  ({ program, kind }) => {
    test("totals of the agent itself, resumed and forked", async () => {
      await using lab = await newLab(program);
      const { text, args, subagents, reported, ...facts } = PROGRAMS[program];
      const sources = facts.sources[kind as keyof typeof facts.sources];
      const session = await begin(lab, kind, text, ...args);
      await over(lab, session, kind);
      const first = await agreed(lab, session.id, sources);
      expect(first.subagents).toHaveLength(subagents);
      await lab.ok(["resume", session.id, "-d", "--prompt", `${USED}[[text:second]]`]);
      await over(lab, session, kind, 2);
      const second = await agreed(lab, session.id, sources);
      expect(second.counted.tokens_total - first.counted.tokens_total).toBe(3520);
      const prompt = `${USED}[[text:third]]`;
      const { id } = (await lab.ok(["fork", session.id, "-d", "--json", "--prompt", prompt])).json;
      const fork = await lab.watch(id, kind);
      await over(lab, fork, kind);
      expect((await agreed(lab, id, sources)).counted.tokens_total).toBe(3520);
      const used = (await lab.ok(["usage", id])).stdout;
      expect(used).toMatch(reported);
    });
  },
  { programs: ["claude", "codex"] },
);

/** Its turn is over, and it has left: only then the transcript of Claude has the totals. */
async function over(lab: Lab, session: Watched, kind: string, turn = 1): Promise<void> {
  await lab.ok(["wait", session.id, "--turn", String(turn), "--timeout", "60s"]);
  if (kind === "interactive") {
    await expect.poll(async () => (await session.get()).state).toBe("waiting_input");
    await lab.ok(["end", session.id]);
  }
  await lab.ok(["wait", session.id, "--until", "stopped", "--timeout", "60s"]);
}

/** Everything is read once the session has ended. */
async function agreed(lab: Lab, id: string, sources: readonly string[]): Promise<Reconciled> {
  const { code, json, stderr } = await lab.rollcall(["usage", id, "--reconcile", "--json"]);
  const reconciled = json as unknown as Reconciled;
  expect([code, stderr, reconciled.sources?.filter(({ agrees }) => agrees !== true)]).toEqual([0, "", []]);
  expect(reconciled.sources.map(({ source }) => source)).toEqual(sources);
  return reconciled;
}
