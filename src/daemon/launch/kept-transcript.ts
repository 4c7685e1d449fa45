import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Mode } from "../../agents/agent.ts";
import { keptTranscriptFolder } from "../../home/layout.ts";
import { filesBelow } from "../../machine/files-below.ts";
import { isNothingToRead, readForeign } from "../../machine/foreign-file.ts";
import { replaceFile } from "../../machine/replace-file.ts";
import type { Services } from "../services.ts";
import type { Aim, Facts } from "../session/ports.ts";
import { allNamed, findNamed } from "./named-transcript.ts";

/** A conversation of years fits in. The daemon reads it as a whole, and answers nobody meanwhile. */
const MOST_BYTES = 64 * 1024 * 1024;

export interface KeptConversation {
  readonly home: string;
  readonly id: string;
  readonly mode: Mode;
  /** The folder in which the agent makes its transcripts. */
  readonly transcripts: string | null;
  readonly nativeId: string | null;
}

export function conversationOf(
  { places }: Pick<Services, "places">,
  { id, carrying: { mode, agentPaths }, target }: Facts & Aim,
): KeptConversation {
  return { home: places.home, id, mode, transcripts: agentPaths.transcripts, nativeId: target.nativeId };
}

/** Copies the transcript of an agent that may delete it by itself. The copy before is replaced, never by nothing. */
export function keepTranscript({ home, id, mode, transcripts, nativeId }: KeptConversation): void {
  const source = mode.sources.transcript;
  if (source?.mayBeDeleted !== true || transcripts === null || nativeId === null) return;
  const found = findNamed(source, transcripts, nativeId);
  if (found === undefined) return;
  const folder = keptTranscriptFolder(home, id);
  const path = join(folder, relative(transcripts, found));
  if (!copyWhole(found, path)) return;
  for (const other of filesBelow(folder, MOST_DEPTH)) if (other !== path) rmSync(other, { force: true });
}

const MOST_DEPTH = 3;

/** Before a resume: the copy goes back to where the agent has deleted its transcript; else it is made anew. */
export function restoreTranscript(conversation: KeptConversation): void {
  const { home, id, transcripts } = conversation;
  if (transcripts === null) return;
  const folder = keptTranscriptFolder(home, id);
  for (const kept of filesBelow(folder, MOST_DEPTH)) {
    const path = join(transcripts, relative(folder, kept));
    if (!existsSync(path)) copyWhole(kept, path);
  }
  clearForResume(conversation);
  keepTranscript(conversation);
}

/** Nothing but names changes of a file with words. */
function clearForResume({ mode, transcripts, nativeId }: KeptConversation): void {
  const source = mode.sources.transcript;
  if (source?.forResume === undefined || transcripts === null || nativeId === null) return;
  const { nameOf, isEmpty: isEmptyText } = source.forResume;
  const isEmpty = (path: string) => {
    const bytes = readWhole(path);
    return bytes !== undefined && isEmptyText(bytes.toString("utf8"));
  };
  const [longest, ...others] = allNamed(source, transcripts, nativeId);
  for (const path of others) if (isEmpty(path)) rmSync(path);
  if (longest === undefined || isEmpty(longest)) return;
  const path = join(transcripts, nameOf(relative(transcripts, longest)));
  if (!existsSync(path)) renameSync(longest, path);
}

/** A copy that was cut short would be worse than none. False where there is nothing to copy. */
function copyWhole(from: string, to: string): boolean {
  const bytes = readWhole(from);
  if (bytes === undefined) return false;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  replaceFile(to, bytes, 0o600);
  return true;
}

/** The agent may have put anything there. */
function readWhole(path: string): Buffer | undefined {
  try {
    return readForeign(path, MOST_BYTES);
  } catch (error) {
    if (isNothingToRead(error)) return undefined;
    throw error;
  }
}
