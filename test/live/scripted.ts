import { expect } from "vitest";
import type { Shown } from "../cli/rollcall.ts";
import type { LiveUser } from "./user.ts";

/** The scripted agent at its first prompt. */
export async function atPrompt(user: LiveUser, ...args: readonly string[]): Promise<string> {
  const { id } = await user.start(["scripted", ...args]);
  expect(await user.reach(id, "waiting_input")).toMatchObject({ waiting: { for: "prompt" } });
  return id;
}

/** One whole turn; the answer of `send --wait --json`, whatever it exits with. */
export async function turn(user: LiveUser, id: string, text: string): Promise<Shown> {
  // More than fits into an argument comes by standard input.
  const isLong = text.length > 50_000;
  const args = ["send", id, "--wait", "--json", "--", isLong ? "-" : text];
  return (await user.rollcall(args, isLong ? { input: text } : {})).json;
}

/** Sends a text that makes the agent ask, and waits until it does. */
export async function asking(user: LiveUser, id: string, text: string): Promise<Shown> {
  const { seq } = (await user.ok(["send", id, text, "--json"])).json;
  return reachAfter(user, id, Number(seq), "waiting_input");
}

/** What the session is when it reaches the state after this seq. */
export async function reachAfter(user: LiveUser, id: string, seq: number, state: string): Promise<Shown> {
  const args = ["wait", id, "--until", state, "--after", String(seq), "--timeout", "30s", "--json"];
  return (await user.ok(args)).only.session as Shown;
}

export interface Entry {
  readonly seq: number;
  readonly role: string;
  readonly kind: string;
  readonly text: string | null;
  readonly tool: { readonly name: string; readonly result?: unknown } | null;
  readonly part?: { readonly from: number; readonly to: number; readonly of: number };
  readonly rest_json?: string;
}

export interface Data extends Shown {
  readonly observability: string;
  readonly entries: readonly Entry[];
  readonly screen: string | null;
  readonly truncated: boolean;
  readonly before: string | null;
  readonly after: string | null;
}

export async function dataOf(user: LiveUser, id: string, ...args: readonly string[]): Promise<Data> {
  return (await user.ok(["data", id, "--json", ...args])).json as Data;
}

/** What was said by one role, oldest first. */
export async function said(user: LiveUser, id: string, role: string): Promise<(string | null)[]> {
  const { entries } = await dataOf(user, id, "--tail", "1000");
  return entries.filter((entry) => entry.role === role && entry.kind === "text").map(({ text }) => text);
}

export interface Change {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly body: {
    readonly state?: string;
    readonly evidence?: { readonly source: string; readonly rule: string };
    readonly waiting?: { readonly for: string };
  } & Readonly<Record<string, unknown>>;
}

export async function eventsOf(user: LiveUser, id: string): Promise<Change[]> {
  const { stdout } = await user.ok(["events", id, "--json"]);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Change);
}

/** The states that a session went through, oldest first. */
export async function statesOf(user: LiveUser, id: string): Promise<string[]> {
  const events = await eventsOf(user, id);
  return events.flatMap(({ kind, body }) =>
    kind === "created" || body.state === undefined ? [] : [body.state],
  );
}
