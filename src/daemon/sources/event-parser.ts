import type { ServerEvent } from "../../agents/sources.ts";

/** Far more than any event of an agent; a server that never ends a line must not fill the memory. */
const MOST_CHARS = 16 * 1024 * 1024;

/** Cuts a stream of server-sent events into events, wherever its pieces end. */
export class EventParser {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #id: string | null = null;
  #name = "";
  #data: string[] = [];

  push(bytes: Uint8Array): ServerEvent[] {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/u);
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > MOST_CHARS) throw new Error("The server sent a line without an end.");
    return lines.flatMap((line) => this.#line(line));
  }

  /** An empty line ends an event; one without data is none. */
  #line(line: string): ServerEvent[] {
    if (line === "") {
      const event = { id: this.#id, name: this.#name || "message", data: this.#data.join("\n") };
      const isEvent = this.#data.length > 0;
      this.#name = "";
      this.#data = [];
      return isEvent ? [event] : [];
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/su.exec(line) ?? [];
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#name = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return [];
  }
}
