import { appendFileSync, writeSync } from "node:fs";
import { openRollcall, Session } from "../../../src/index.ts";

/** Records tool calls as fast as it can and says the number of each when it was acknowledged, until it is killed. */
const [home, workspace, flight, bytes, control] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string?,
];

const rollcall = await openRollcall({ home, cwd: workspace, env: {} });
const session = await Session.create({}, { rollcall });
say(session.id);

let next = 0;
await Promise.all(Array.from({ length: Number(flight) }, recordForever));

async function recordForever(): Promise<void> {
  for (;;) {
    const n = next++;
    // Nobody makes this one durable: what a power cut takes of it shows that the cut was one.
    if (control !== undefined) appendFileSync(control, `${n}\n`);
    if (Number(flight) > 1 && n % 3 === 0) await session.addMessage({ role: "user", content: `${n}` });
    else await session.recordToolCall({ name: "call", params: { n }, result: "x".repeat(Number(bytes)) });
    say(`${n}`);
  }
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
