import type { Json, JsonObject } from "../domain/json.ts";
import type { ScreenRule } from "../domain/screen/screen-rules.ts";
import type { Memory, Parsed } from "./parsed.ts";

/**
 * The sources that a mode has, each with its parsers. A parser is total: a piece that it does not understand gives an
 * empty result. Methods, so that a mode may know more of its own memory than those who call it.
 */
export interface Sources<M extends Memory = Memory> {
  readonly terminal?: TerminalSource<M>;
  readonly file?: LiveFileSource<M>;
  readonly stream?: StreamSource<M>;
  readonly hook?: HookSource<M>;
  readonly transcript?: TranscriptSource<M>;
  readonly screen?: ScreenSource<M>;
  readonly events?: EventsSource<M>;
}

export interface TerminalSource<M extends Memory> {
  /** OSC 7501, as key and value; `msg` and `title` are base64. */
  report?(fields: Readonly<Record<string, string>>, memory: M): Parsed<M>;
  title?(title: string, memory: M): Parsed<M>;
}

export interface LiveFileSource<M extends Memory> {
  /** The file of one process in `liveFiles`, known to belong to this session. */
  parse(content: JsonObject, memory: M): Parsed<M>;
}

export interface StreamSource<M extends Memory> {
  /** One line of standard output. */
  parse(line: string, memory: M): Parsed<M>;
  /** The last of what came, once there will be no more lines. */
  end?(memory: M): Parsed<M>;
}

export interface HookSource<M extends Memory> {
  parse(event: string, payload: JsonObject, memory: M): Parsed<M>;
}

export interface TranscriptSource<M extends Memory> {
  /** One line of the transcript. */
  parse(line: string, memory: M): Parsed<M>;
  /** The identity in the name of a file in `transcripts`; undefined where the file is no transcript. */
  identityIn?(name: string): Parsed["identity"] | undefined;
  /**
   * For an agent that names its file itself and does not keep it open: whether a file of this path below `transcripts`
   * may be that of this conversation. `isOwn` decides.
   */
  isNamedFor?(path: string, nativeId: string): boolean;
  /** The agent may delete it by itself: a copy is kept from one launch to the next. Only with `isNamedFor`. */
  readonly mayBeDeleted?: true;
  /** It loses a conversation that is resumed under any other name, or beside an empty file of the same one. */
  readonly forResume?: { nameOf(path: string): string; isEmpty(text: string): boolean };
  /** Whether a transcript that begins with this line is the session's own, and not that of a helper in its process. */
  isOwn?(firstLine: string, nativeId?: string): boolean;
}

export interface ScreenSource<M extends Memory> {
  /** Looked for before the first prompt; afterwards they are ignored. */
  readonly rules: readonly ScreenRule[];
  /** Parses the screen while the agent asks for something, or while someone waits for a text to be accepted. */
  shown?(screen: string, memory: M): Parsed<M>;
}

/** Server-sent events of the agent's own server, read with the password of the launch. */
export interface EventsSource<M extends Memory> {
  readonly path: string;
  parse(event: ServerEvent, memory: M): Parsed<M>;
  readonly resume?: StreamResume<M>;
  /** Asked for at every connection, before its events: what happened while nobody listened. */
  readonly catchUp?: readonly CatchUp<M>[];
}

/** For a server that can resume its stream behind an event: how the memory keeps the last one. */
export interface StreamResume<M extends Memory> {
  /** Null: a new connection begins without one. */
  lastId(memory: M): string | null;
  /** Merged into the memory once all of this event is in the record. */
  remember(id: string): Partial<M>;
}

export interface ServerEvent {
  /** Unique within a launch; null for an event without one. */
  readonly id: string | null;
  readonly name: string;
  readonly data: string;
}

export interface CatchUp<M extends Memory> {
  path(memory: M): string;
  parse(body: Json, memory: M): Parsed<M>;
}
