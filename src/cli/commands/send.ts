import { readFileSync } from "node:fs";
import type { SessionRecord } from "../../domain/session.ts";
import { type Command, has, JSON_OPTION } from "../command.ts";
import { finishWait } from "../last-answer.ts";
import { type Acted, withDaemon } from "../live.ts";

export const command: Command = {
  words: "ID TEXT",
  takes: [2, 2],
  completes: ["session"],
  about:
    "Gives a text to an agent as a person would type it, and says when it was taken. `-` reads the text from standard input; after `--` it may begin with a dash.\nIt is refused while the agent asks something: that is what approve, deny and answer are for.",
  options: {
    wait: { about: "wait for the next prompt, print the answer, exit by that turn" },
    json: JSON_OPTION,
  },
  examples: [
    [`rollcall send build "run the tests again"`, "to a session by its name"],
    [`rollcall send last "say hello" --wait`, "and wait for what it answers"],
    ["rollcall send a1b2c3 - < notes.txt", "a text of many lines"],
  ],
  async run(input, output) {
    const [reference, word] = input.words as [string, string];
    const text = word === "-" ? readFileSync(0, "utf8").replace(/\n$/, "") : word;
    return withDaemon(output, async (client, rollcall) => {
      const sessionId = await rollcall.resolve(reference);
      const sent = await client.call<Acted>("send_input", { sessionId, text, channel: "cli" });
      if (has(input, "wait")) {
        const session: SessionRecord = { ...(await rollcall.get(sessionId)), seq: sent.seq };
        return finishWait(client, rollcall, output, session, sent.seq);
      }
      if (output.isJson) output.json(sent);
      else output.line(`Sent to ${sessionId}.`);
      return 0;
    });
  },
};
