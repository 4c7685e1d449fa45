import { createInterface } from "node:readline";
import { RollcallError } from "../../domain/errors.ts";
import { parseUpsert } from "../../domain/session/upsert.ts";
import { type Command, JSON_OPTION } from "../framework/command.ts";
import { BY_PROJECT, withRollcall } from "../open.ts";

const CHUNK = 1000;

export const command: Command = {
  words: "",
  takes: [0, 0],
  about:
    "Reads JSON lines and brings each session to what its line says: a key that is absent changes nothing, null means unknown.\nFor sessions that Rollcall does not run. All lines are checked before the first is written.",
  options: { json: JSON_OPTION },
  examples: [
    [`echo '{"id":"s1","status":"active","model":"m1","turns":3}' | rollcall upsert`, "one session"],
    ["rollcall upsert < fleet.jsonl", "a whole fleet"],
  ],
  async run(_input, output) {
    const lines = await readLines();
    return withRollcall(
      output,
      async (rollcall) => {
        let upserted = 0;
        for (let start = 0; start < lines.length; start += CHUNK)
          upserted += await rollcall.upsert(lines.slice(start, start + CHUNK));
        if (output.isJson) output.json({ upserted });
        else output.line(`${upserted} ${upserted === 1 ? "session" : "sessions"} up to date.`);
        return 0;
      },
      BY_PROJECT,
    );
  },
};

async function readLines(): Promise<unknown[]> {
  const parsed: unknown[] = [];
  let number = 0;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() !== "") parsed.push(parseLine(line, number));
  }
  if (parsed.length > 0) return parsed;
  throw new RollcallError("bad_input", "There was no line on standard input.", {
    hint: "Give one JSON object on each line.",
  });
}

function parseLine(line: string, number: number): unknown {
  try {
    const value: unknown = JSON.parse(line);
    parseUpsert(value);
    return value;
  } catch (cause) {
    const isOurs = cause instanceof RollcallError;
    const message = isOurs ? cause.message : "It is not valid JSON.";
    const hint = isOurs ? cause.hint : "Give one JSON object on each line.";
    throw new RollcallError(isOurs ? cause.code : "bad_json", `Line ${number}: ${message}`, {
      ...(hint ? { hint } : {}),
      cause,
    });
  }
}
