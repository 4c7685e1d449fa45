import type { JsonObject } from "../../domain/json.ts";

/** Our requests to the app server; each answer names the one that it is for. */
export const OPENING_ID = "open";
const SAYING = "say ";

/** The answer to a text names its request, and so it tells which text was taken. */
export function sayingId(text: string): string {
  return `${SAYING}${text}`;
}

/** The text that an answer is for. */
export function saidText(id: unknown): string | undefined {
  return typeof id === "string" && id.startsWith(SAYING) ? id.slice(SAYING.length) : undefined;
}

/** One message of its protocol, which is JSON-RPC without the version. */
export function message(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

export function request(id: string, method: string, params: object): string {
  return message({ id, method, params });
}

export function userInput(text: string): object[] {
  return [{ type: "text", text }];
}

/** A request of its, as it is named in the record: an id that no other process uses, with the number to answer. */
export function requestIdOf(id: unknown, { itemId, approvalId }: JsonObject): string {
  return [id, itemId, approvalId].filter((part) => part !== undefined && part !== null).join(":");
}

/** The number to answer; undefined for a name that is not from here. */
export function answerId(requestId: string | null): number | undefined {
  const id = /^(\d+)(?=:|$)/.exec(requestId ?? "")?.[1];
  return id === undefined ? undefined : Number(id);
}
