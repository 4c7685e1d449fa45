// A program that behaves like a coding agent on command: for demonstrations, and for tests that need a real process.
import { join } from "node:path";
import { Connection } from "./acp/connection.ts";
import { AcpFace } from "./acp/face.ts";
import { untilOpened } from "./acp/opening.ts";
import { Autonomous } from "./autonomous.ts";
import { Conversation } from "./conversation.ts";
import type { Face } from "./face.ts";
import { Hooks } from "./hooks.ts";
import { Interactive } from "./interactive.ts";
import { VERSION } from "./line.ts";
import { type Options, readOptions } from "./options.ts";
import { type Credentials, takeCredentials } from "./serve/access.ts";
import { Serving } from "./serve/serving.ts";
import { onEndingSignal } from "./signals.ts";
import { Transcript } from "./transcript.ts";

/** How long the way out may take. */
const LEAVE_MS = 1000;

async function main(): Promise<void> {
  const given = readOptions(process.argv.slice(2));
  const needsTerminal = !given.isAutonomous && !given.isAcp;
  if (needsTerminal && !process.stdin.isTTY) throw new Error("It needs a terminal, --print or --acp.");
  const home = process.env.SCRIPTED_AGENT_HOME ?? join(process.env.HOME ?? ".", ".scripted-agent");
  const acp = given.isAcp ? await openAcp(given, home) : undefined;
  const options = acp?.opened.options ?? given;
  const transcript = openTranscript(home, options);
  const hooks = new Hooks(process.env.ROLLCALL_HOOK, {
    session_id: options.sessionId,
    transcript_path: transcript.path,
    cwd: process.cwd(),
  });
  const face = acp
    ? new AcpFace(acp.connection, acp.opened, transcript.history)
    : faceOf(options, transcript.turns);
  await run(options, face, transcript, hooks);
}

async function openAcp(given: Options, home: string) {
  const connection = new Connection();
  const opened = await untilOpened(connection, given, (id) => Transcript.has(home, id));
  return { connection, opened };
}

async function run(options: Options, face: Face, transcript: Transcript, hooks: Hooks): Promise<void> {
  let isInputEnded = false;
  const leave = leaver(face, hooks);
  const leaveIfDone = () => {
    if (isInputEnded && !conversation.isBusy) leave(0, "input_ended");
  };
  const conversation = new Conversation({
    ...{ options, face, transcript, hooks },
    afterTurn: (code) => (code === null ? leaveIfDone() : leave(code, "exit")),
  });
  stayUntilLeft(conversation, leave);
  await face.open({
    prompt: (text) => conversation.submit(text),
    interrupt: () => conversation.interrupt(),
    inputEnded: () => {
      isInputEnded = true;
      leaveIfDone();
    },
    leave,
  });
  if (options.isDeaf) face.stopReading();
  const { continues, model, prompt } = options;
  hooks.call("session_start", { source: continues?.how ?? "startup", model, version: VERSION });
  if (prompt !== null) conversation.submit(prompt);
}

/** Only `leave` ends this process, whatever is read or not. */
function stayUntilLeft(conversation: Conversation, leave: Leave): void {
  onEndingSignal((signal, code) => {
    if (signal !== "SIGINT" || !conversation.interrupt()) leave(code, signal);
  });
  process.stdout.on("error", () => leave(1, "output_lost"));
  setInterval(() => {}, 2 ** 30);
}

type Leave = (code: number, reason: string) => void;

/** The one way out: told to the terminal first, then to the hook. */
function leaver(face: Face, hooks: Hooks): Leave {
  let isLeaving = false;
  return (code, reason) => {
    if (isLeaving) return;
    isLeaving = true;
    const closed = face.close();
    hooks.call("session_end", { reason });
    setTimeout(() => process.exit(code), LEAVE_MS);
    void Promise.all([closed, hooks.settled()]).then(() => process.exit(code));
  };
}

function openTranscript(home: string, options: Options): Transcript {
  try {
    return new Transcript(home, options);
  } catch (cause) {
    throw new Error(`There is no session ${options.continues?.id} to continue.`, { cause });
  }
}

function faceOf(options: Options, turns: number): Face {
  if (options.isAutonomous) return new Autonomous(options, turns);
  const { continues, sessionId, model } = options;
  const came =
    continues === null ? "" : ` (${continues.how === "fork" ? "forked" : "resumed"}, ${turns} turns)`;
  const greeting = `Scripted agent ${VERSION}, ${model}, session ${sessionId}${came}`;
  const terminal = new Interactive(options, greeting);
  return options.isServing ? new Serving(options, terminal, credentialsOf(options)) : terminal;
}

function credentialsOf({ hidesPassword }: Options): Credentials {
  const credentials = takeCredentials(process.env);
  return hidesPassword ? { ...credentials, password: crypto.randomUUID() } : credentials;
}

main().catch((error: Error) => {
  process.stderr.write(`scripted-agent: ${error.message}\n`);
  process.exit(1);
});
