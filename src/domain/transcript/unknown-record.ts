import type { JsonObject } from "../json.ts";

/** A record of a transcript of a type that this release does not know: a later one may. */
export interface UnknownRecord {
  readonly type: string;
  readonly record: JsonObject;
}

/** The same with the key of its place in the transcript, before the store has it. */
export interface NewUnknownRecord extends UnknownRecord {
  readonly key: string;
}

/** As the store keeps it: redacted, and a long one cut. */
export interface KeptUnknownRecord {
  /** In the order in which they were read. */
  readonly no: number;
  readonly key: string;
  readonly type: string;
  /** Its JSON; only the beginning of it where it is not whole. */
  readonly text: string;
  readonly isWhole: boolean;
}

/** Enough for words and tool calls; what is longer is a picture or a whole file. */
const MOST_LENGTH = 64 * 1024;

export function keepUnknown({ key, type, record }: NewUnknownRecord): Omit<KeptUnknownRecord, "no"> {
  const text = JSON.stringify(record);
  const isWhole = text.length <= MOST_LENGTH;
  return { key, type: type.slice(0, 200), text: isWhole ? text : text.slice(0, MOST_LENGTH), isWhole };
}
