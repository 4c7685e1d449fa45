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
      { name: "create", summary: "make the record of a session", load: () => import("./commands/create.ts") },
      {
        name: "update",
        summary: "change its phase, metadata, status or name, or add an error",
        load: () => import("./commands/update.ts"),
      },
      {
        name: "upsert",
        summary: "bring many records up to date from JSON lines",
        load: () => import("./commands/upsert.ts"),
      },
      {
        name: "should-resume",
        summary: "tell whether work on a session can go on",
        load: () => import("./commands/should-resume.ts"),
      },
      { name: "get", summary: "show one session", load: () => import("./commands/get.ts") },
      {
        name: "finalize",
        summary: "end the work on a session for good",
        load: () => import("./commands/finalize.ts"),
      },
      {
        name: "list",
        aliases: ["ls"],
        summary: "list sessions, newest activity first",
        load: () => import("./commands/list.ts"),
      },
      { name: "cleanup", summary: "remove old sessions", load: () => import("./commands/cleanup.ts") },
      {
        name: "delete",
        aliases: ["rm"],
        summary: "remove sessions",
        load: () => import("./commands/delete.ts"),
      },
      {
        name: "reconcile",
        summary: "mark as unknown what claims to run and does not",
        load: () => import("./commands/reconcile.ts"),
      },
    ],
  },
  {
    title: "Looking back",
    commands: [
      {
        name: "events",
        summary: "show what happened, and follow it",
        load: () => import("./commands/events.ts"),
      },
      {
        name: "search",
        summary: "find words in transcripts and records",
        load: () => import("./commands/search.ts"),
      },
      {
        name: "stats",
        summary: "count sessions, tokens, cost and resumes",
        load: () => import("./commands/stats.ts"),
      },
      {
        name: "export",
        summary: "write a session out as JSON or Markdown",
        load: () => import("./commands/export.ts"),
      },
    ],
  },
  {
    title: "The system",
    commands: [
      {
        name: "hook",
        summary: "answer the hooks of an orchestrator",
        load: () => import("./commands/hook.ts"),
      },
      { name: "config", summary: "show and change settings", load: () => import("./commands/config.ts") },
      {
        name: "doctor",
        summary: "look for what is wrong, and mend it",
        load: () => import("./commands/doctor.ts"),
      },
      {
        name: "backup",
        summary: "copy the whole store into one verified file",
        load: () => import("./commands/backup.ts"),
      },
      {
        name: "restore",
        summary: "go back to a backup, or rebuild from record files",
        load: () => import("./commands/restore.ts"),
      },
      {
        name: "verify",
        summary: "prove that the store is whole",
        load: () => import("./commands/verify.ts"),
      },
      {
        name: "completion",
        summary: "print the completion script of a shell",
        load: () => import("./commands/completion.ts"),
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
