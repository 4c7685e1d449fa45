import { readFileSync } from "node:fs";
import { type Command, has, JSON_OPTION } from "../framework/command.ts";
import { usage } from "../framework/parse.ts";
import { type Acted, durationOption, withDaemon } from "../live.ts";
import { InterruptNotice } from "../sessions/interrupt-notice.ts";
import { checkWaitable, finishWait, naming } from "../sessions/last-answer.ts";
import { keyOption } from "../sessions/launch-options.ts";

interface Sent extends Acted {
  readonly turn: number | null;
}

export const command: Command = {
  words: "ID TEXT",
  takes: [2, 2],
  completes: ["session"],
  about:
    "Gives a text to an agent as a person would type it, and says when it was taken. `-` reads the text from standard input; after `--` it may begin with a dash.\nIt is refused while the agent asks something: that is what approve, deny and answer are for.",
  options: {
    wait: { about: "wait for the end of its turn, print the answer, exit by how the turn went" },
    timeout: { value: "DURATION", about: "with --wait: at most so long (for ever)" },
    key: { value: "KEY", about: "makes a retry safe: the same key within a day sends nothing again" },
    json: JSON_OPTION,
  },
  examples: [
    [`rollcall send build "run the tests again"`, "to a session by its name"],
    [`rollcall send last "say hello" --wait`, "and wait for what it answers"],
    [`rollcall send build "go on" --wait --timeout 10m --key step-7`, "safe to run again"],
    ["rollcall send a1b2c3 - < notes.txt", "a text of many lines"],
  ],
  async run(input, output) {
    const [reference, word] = input.words as [string, string];
    const text = word === "-" ? readFileSync(0, "utf8").replace(/\n$/, "") : word;
    const timeoutMs = durationOption(input, "timeout");
    if (timeoutMs !== undefined && !has(input, "wait")) throw usage("--timeout goes with --wait.", "send");
    const key = keyOption(input);
    return withDaemon(output, async (client, rollcall) => {
      const sessionId = await rollcall.resolve(reference);
      const asked = { sessionId, text, channel: "cli", ...(key === undefined ? {} : { key }) };
      if (has(input, "wait")) {
        await checkWaitable(rollcall, sessionId);
        const session = await rollcall.get(sessionId);
        using interrupt = new InterruptNotice(output);
        interrupt.name(session);
        const sent = await naming(session, () => client.call<Sent>("send_input", asked));
        const limit = timeoutMs === undefined ? {} : { timeoutMs };
        const awaited = { session, after: sent.seq, turn: sent.turn, text, ...limit };
        return await finishWait(client, rollcall, output, awaited);
      }
      const sent = await client.call<Sent>("send_input", asked);
      if (output.isJson) output.json(sent);
      else output.line(`Sent to ${sessionId}.`);
      return 0;
    });
  },
};
