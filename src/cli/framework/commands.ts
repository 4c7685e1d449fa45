import type { Command } from "./command.ts";

export interface Registered {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

export interface Group {
  readonly title: string;
  readonly commands: readonly Registered[];
}

/** Every command in the order of the help. Loading one loads nothing of the others. */
export const GROUPS: readonly Group[] = [
  {
    title: "Records",
    commands: [
      {
        name: "create",
        summary: "make the record of a session",
        load: () => import("../commands/create.ts"),
      },
      {
        name: "update",
        summary: "change its phase, metadata, status or name, or add an error",
        load: () => import("../commands/update.ts"),
      },
      {
        name: "upsert",
        summary: "bring many records up to date from JSON lines",
        load: () => import("../commands/upsert.ts"),
      },
      {
        name: "should-resume",
        summary: "tell whether work on a session can go on",
        load: () => import("../commands/should-resume.ts"),
      },
      { name: "get", summary: "show one session", load: () => import("../commands/get.ts") },
      {
        name: "finalize",
        summary: "end the work on a session for good",
        load: () => import("../commands/finalize.ts"),
      },
      {
        name: "list",
        aliases: ["ls"],
        summary: "list sessions, newest activity first",
        load: () => import("../commands/list.ts"),
      },
      { name: "cleanup", summary: "remove old sessions", load: () => import("../commands/cleanup.ts") },
      {
        name: "delete",
        aliases: ["rm"],
        summary: "remove sessions",
        load: () => import("../commands/delete.ts"),
      },
      {
        name: "reconcile",
        summary: "mark as unknown what claims to run and does not",
        load: () => import("../commands/reconcile.ts"),
      },
    ],
  },
  {
    title: "Live sessions",
    commands: [
      { name: "start", summary: "start an agent or any command", load: () => import("../commands/start.ts") },
      { name: "send", summary: "give a text to an agent", load: () => import("../commands/send.ts") },
      { name: "keys", summary: "press keys at its terminal", load: () => import("../commands/keys.ts") },
      { name: "approve", summary: "allow what it asks for", load: () => import("../commands/approve.ts") },
      { name: "deny", summary: "refuse what it asks for", load: () => import("../commands/deny.ts") },
      { name: "answer", summary: "answer its question", load: () => import("../commands/answer.ts") },
      {
        name: "interrupt",
        summary: "stop the turn in progress",
        load: () => import("../commands/interrupt.ts"),
      },
      { name: "data", summary: "read what it said and shows", load: () => import("../commands/data.ts") },
      {
        name: "wait",
        summary: "wait until sessions reach a state",
        load: () => import("../commands/wait.ts"),
      },
      { name: "attach", summary: "open its terminal here", load: () => import("../commands/attach.ts") },
      { name: "next", summary: "attach to who waits longest", load: () => import("../commands/next.ts") },
      {
        name: "pause",
        summary: "stop its processes for a while",
        load: () => import("../commands/pause.ts"),
      },
      { name: "continue", summary: "let them go on", load: () => import("../commands/continue.ts") },
      {
        name: "end",
        aliases: ["kill"],
        summary: "end sessions and leave no process",
        load: () => import("../commands/end.ts"),
      },
      {
        name: "resume",
        summary: "go on with an ended conversation",
        load: () => import("../commands/resume.ts"),
      },
      { name: "fork", summary: "begin anew with a copy of it", load: () => import("../commands/fork.ts") },
      {
        name: "explain",
        summary: "tell why its state is what it is",
        load: () => import("../commands/explain.ts"),
      },
    ],
  },
  {
    title: "Looking back",
    commands: [
      {
        name: "events",
        summary: "show what happened, and follow it",
        load: () => import("../commands/events.ts"),
      },
      { name: "logs", summary: "print what its terminal showed", load: () => import("../commands/logs.ts") },
      {
        name: "replay",
        summary: "play what its terminal showed",
        load: () => import("../commands/replay.ts"),
      },
      {
        name: "samples",
        summary: "show what it used over time",
        load: () => import("../commands/samples.ts"),
      },
      {
        name: "search",
        summary: "find words in transcripts and records",
        load: () => import("../commands/search.ts"),
      },
      {
        name: "usage",
        summary: "show its tokens and cost, by model and request",
        load: () => import("../commands/usage.ts"),
      },
      {
        name: "stats",
        summary: "count sessions, tokens, cost and resumes",
        load: () => import("../commands/stats.ts"),
      },
      {
        name: "import",
        summary: "take in the histories that agents keep on disk",
        load: () => import("../commands/import.ts"),
      },
      {
        name: "export",
        summary: "write a session out as JSON, Markdown, HTML or asciicast",
        load: () => import("../commands/export.ts"),
      },
    ],
  },
  {
    title: "The system",
    commands: [
      { name: "up", summary: "start the daemon", load: () => import("../commands/up.ts") },
      { name: "down", summary: "stop the daemon; agents run on", load: () => import("../commands/down.ts") },
      {
        name: "status",
        summary: "show the daemon and how many sessions live",
        load: () => import("../commands/status.ts"),
      },
      {
        name: "top",
        summary: "show the roll live, on the whole terminal",
        load: () => import("../commands/top.ts"),
      },
      {
        name: "demo",
        summary: "start a small fleet to try things with",
        load: () => import("../commands/demo.ts"),
      },
      {
        name: "hook",
        summary: "answer the hooks of an orchestrator",
        load: () => import("../commands/hook.ts"),
      },
      {
        name: "hooks",
        summary: "have an agent report and ask by hooks of its own",
        load: () => import("../commands/hooks.ts"),
      },
      { name: "config", summary: "show and change settings", load: () => import("../commands/config.ts") },
      {
        name: "doctor",
        summary: "look for what is wrong, and mend it",
        load: () => import("../commands/doctor.ts"),
      },
      {
        name: "backup",
        summary: "copy the whole store into one verified file",
        load: () => import("../commands/backup.ts"),
      },
      {
        name: "restore",
        summary: "go back to a backup, or rebuild from record files",
        load: () => import("../commands/restore.ts"),
      },
      {
        name: "redact",
        summary: "take secrets out of what is stored already",
        load: () => import("../commands/redact.ts"),
      },
      {
        name: "verify",
        summary: "prove that the store is whole",
        load: () => import("../commands/verify.ts"),
      },
      {
        name: "completion",
        summary: "print the completion script of a shell",
        load: () => import("../commands/completion.ts"),
      },
    ],
  },
];

export function allCommands(): readonly Registered[] {
  return GROUPS.flatMap(({ commands }) => commands);
}

export function findCommand(name: string): Registered | undefined {
  return allCommands().find((command) => command.name === name || command.aliases?.includes(name));
}
