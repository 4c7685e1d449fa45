import { parseArgs } from "node:util";

export interface Options {
  readonly sessionId: string;
  readonly continues: { readonly how: "resume" | "fork"; readonly id: string } | null;
  readonly model: string;
  /** Whether it speaks in JSON lines instead of a terminal. */
  readonly isAutonomous: boolean;
  /** Whether it speaks the Agent Client Protocol. */
  readonly isAcp: boolean;
  /** Optional parts of that protocol that it offers. */
  readonly offered: readonly string[];
  /** Whether it can also be driven over HTTP, with port and password of the environment. */
  readonly isServing: boolean;
  /** Serves with a password that nobody knows. */
  readonly hidesPassword: boolean;
  readonly asksTrust: boolean;
  readonly asksLogin: boolean;
  /** Shows its prompt, and reads nothing. */
  readonly isDeaf: boolean;
  readonly slowStartMs: number;
  readonly prompt: string | null;
}

/** Throws an error with one sentence for wrong usage. */
export function readOptions(words: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      "session-id": { type: "string" },
      resume: { type: "string" },
      fork: { type: "string" },
      model: { type: "string", default: "scripted-1" },
      print: { type: "boolean", default: false },
      acp: { type: "boolean", default: false },
      offers: { type: "string", default: "resume,load,fork,close" },
      serve: { type: "boolean", default: false },
      "hide-password": { type: "boolean", default: false },
      trust: { type: "boolean", default: false },
      login: { type: "boolean", default: false },
      deaf: { type: "boolean", default: false },
      "slow-start": { type: "string", default: "0" },
    },
  });
  const { resume, fork } = values;
  return {
    sessionId: checkId(resume ?? values["session-id"] ?? crypto.randomUUID()),
    continues: continuesOf(resume, fork),
    model: values.model,
    isAutonomous: values.print,
    isAcp: values.acp,
    offered: values.offers.split(",").filter((name) => name !== ""),
    isServing: values.serve,
    hidesPassword: values["hide-password"],
    asksTrust: values.trust,
    asksLogin: values.login,
    isDeaf: values.deaf,
    slowStartMs: checkMs(values["slow-start"]),
    prompt: positionals.length === 0 ? null : positionals.join(" "),
  };
}

function continuesOf(resume: string | undefined, fork: string | undefined): Options["continues"] {
  if (resume !== undefined && fork !== undefined) throw new Error("--resume and --fork exclude each other.");
  if (resume !== undefined) return { how: "resume", id: checkId(resume) };
  return fork === undefined ? null : { how: "fork", id: checkId(fork) };
}

/** It becomes the name of a file. */
function checkId(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  throw new Error(`${JSON.stringify(id)} is not the id of a session.`);
}

function checkMs(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new Error(`${JSON.stringify(text)} is not a number of milliseconds.`);
}
