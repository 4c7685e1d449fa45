import type { ServerEvent } from "../../agents/sources.ts";

/** Far more than any event of an agent; a server that never ends one must not fill the memory. */
const MOST_CHARS = 16 * 1024 * 1024;

/**
 * Cuts a stream of server-sent events into events, wherever its pieces end. An id belongs to its own event alone: an
 * event without one is not taken for the one before it.
 */
export class EventParser {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not come yet, in pieces; a carriage return at its end stands apart. */
  #rest: string[] = [];
  #restChars = 0;
  #cr: "" | "\r" = "";
  #id: string | null = null;
  #name = "";
  #data: string[] = [];
  #dataChars = 0;

  push(bytes: Uint8Array): ServerEvent[] {
    // A carriage return at the end may be the first half of a line end.
    const lines = (this.#cr + this.#decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/u);
    const rest = lines.pop() ?? "";
    this.#cr = rest.endsWith("\r") ? "\r" : "";
    const events = lines.flatMap((line) => this.#line(this.#endOf(line)));
    this.#add(this.#cr === "" ? rest : rest.slice(0, -1));
    return events;
  }

  /** The rest is not looked through again with each piece: a long line would take ever longer. */
  #add(text: string): void {
    this.#rest.push(text);
    this.#restChars += text.length;
    if (this.#restChars + this.#dataChars > MOST_CHARS)
      throw new Error("The server sends an event without an end.");
  }

  #endOf(line: string): string {
    if (this.#rest.length === 0) return line;
    const whole = this.#rest.join("") + line;
    this.#rest = [];
    this.#restChars = 0;
    return whole;
  }

  #line(line: string): ServerEvent[] {
    if (line === "") return this.#end();
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (field === "data") this.#addData(value);
    else if (field === "event") this.#name = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return [];
  }

  #addData(value: string): void {
    this.#data.push(value);
    this.#dataChars += value.length + 1;
  }

  /** An empty line ends an event; one without data is none. */
  #end(): ServerEvent[] {
    const event = { id: this.#id, name: this.#name || "message", data: this.#data.join("\n") };
    const isEvent = this.#data.length > 0;
    this.#id = null;
    this.#name = "";
    this.#data = [];
    this.#dataChars = 0;
    return isEvent ? [event] : [];
  }
}
