import type { SessionRecord } from "../../domain/session/session.ts";
import { isLive } from "../../domain/session/state.ts";
import { isAsking } from "../../present/roll-order.ts";
import { describeError } from "../framework/output.ts";
import { type Ended, isProven, notProven } from "../sessions/ended.ts";
import type { DaemonWatch } from "./daemon-watch.ts";

/** The actions of keys on the selected session. Each returns the sentence to show, also where it was refused. */
export class Actions {
  readonly #daemon: DaemonWatch;

  constructor(daemon: DaemonWatch) {
    this.#daemon = daemon;
  }

  /** Names the request that was on the screen: another one by then is not answered. */
  async decide(session: SessionRecord, answer: "approve" | "deny"): Promise<string> {
    const { waiting } = session;
    if (waiting?.for !== "permission" && waiting?.for !== "trust")
      return `${nameOf(session)} asks for no permission.`;
    const done = answer === "approve" ? "Approved" : "Denied";
    return this.#answer(session, { answer }, `${done} in ${nameOf(session)}.`);
  }

  async choose(session: SessionRecord, number: number): Promise<string> {
    const option = session.waiting?.options?.[number - 1];
    if (option === undefined) return `${nameOf(session)} offers no choice ${number}.`;
    return this.#answer(
      session,
      { answer: "choose", choice: String(number) },
      `Answered ${nameOf(session)}: ${option}.`,
    );
  }

  /** Why a text cannot be given to it now; undefined where it can be tried. */
  refusesText(session: SessionRecord): string | undefined {
    const who = nameOf(session);
    if (session.origin === "subagent") return `${who} is a sub-agent: its parent takes texts.`;
    if (session.origin !== "started") return `Rollcall does not carry ${who}: it takes texts where it runs.`;
    if (!isLive(session.state)) return `${who} has ended.`;
    if (session.state === "paused") return `${who} is paused; rollcall continue ${who} lets it go on.`;
    return isAsking(session) ? `${who} asks something: answer that first.` : undefined;
  }

  async send(session: SessionRecord, text: string): Promise<string> {
    return this.#told(async () => {
      await this.#call("send_input", { sessionId: session.id, text });
      return `Sent to ${nameOf(session)}.`;
    });
  }

  async end({ id, name, state, origin }: SessionRecord): Promise<string> {
    const who = name ?? id;
    if (origin === "observed") return `${who} runs outside Rollcall: it is observed only.`;
    if (origin === "subagent") return `${who} is a sub-agent: it ends with its parent.`;
    if (origin !== "started") return `${who} is only a record; Rollcall does not carry its process.`;
    if (!isLive(state)) return `${who} has ended.`;
    return this.#told(async () => {
      const ended = await this.#call<Ended>("end_session", { sessionId: id });
      if (!isProven(ended)) throw notProven(ended);
      return `${who} has ended; no process is left.`;
    });
  }

  async #answer({ id, waiting }: SessionRecord, input: object, said: string): Promise<string> {
    const requestId = waiting?.requestId ?? null;
    const request = requestId === null ? {} : { requestId };
    return this.#told(async () => {
      await this.#call("answer_request", { sessionId: id, ...input, ...request });
      return said;
    });
  }

  async #call<T>(operation: "answer_request" | "end_session" | "send_input", input: object): Promise<T> {
    const client = await this.#daemon.client();
    return client.call<T>(operation, { ...input, channel: "tui" });
  }

  /** A refusal is a sentence, too. */
  async #told(deed: () => Promise<string>): Promise<string> {
    try {
      return await deed();
    } catch (error) {
      const { message, hint } = describeError(error);
      return hint === null ? message : `${message} ${hint}`;
    }
  }
}

export function nameOf({ id, name }: SessionRecord): string {
  return name ?? id;
}
