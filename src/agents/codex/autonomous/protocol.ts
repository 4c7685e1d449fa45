import type { JsonObject } from "../../../domain/json.ts";

/** The ids of our requests to the app server; each answer has the id of its request. */
export const OPENING_ID = "open";
const TEXT_ID = "say ";

/** The id of the request for a text holds the text, so that its answer confirms that very text. */
export function textId(text: string): string {
  return `${TEXT_ID}${text}`;
}

/** The text that an answer confirms. */
export function textOfId(id: unknown): string | undefined {
  return typeof id === "string" && id.startsWith(TEXT_ID) ? id.slice(TEXT_ID.length) : undefined;
}

/** One message of its protocol, which is JSON-RPC without the version. */
export function requestMessage(id: string, method: string, params: object): object {
  return { id, method, params };
}

export function userInput(text: string): object[] {
  return [{ type: "text", text }];
}

/** The id of its request in the record: one that no other process uses, and that begins with the number to answer. */
export function requestIdOf(id: unknown, { itemId, approvalId }: JsonObject): string {
  return [id, itemId, approvalId].filter((part) => ["number", "string"].includes(typeof part)).join(":");
}

/** The number to answer; undefined for an id that is not from here. */
export function answerId(requestId: string | null): number | undefined {
  const id = /^(\d+)(?=:|$)/.exec(requestId ?? "")?.[1];
  return id === undefined ? undefined : Number(id);
}
