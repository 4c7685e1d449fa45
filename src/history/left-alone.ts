import { isLive } from "../domain/session/state.ts";
import { pidsWriting } from "../machine/open-files.ts";
import { markerOf } from "../machine/proc.ts";
import type { Context } from "../record/context.ts";
import { findByNativeId, isCarried } from "./plan.ts";
import type { RepeatOptions } from "./report.ts";
import type { Source } from "./sources.ts";

/** The histories that a repeated import leaves to others, or does not open again; a single import leaves none. */
export class LeftAlone {
  readonly #context: Context;
  readonly #repeat: RepeatOptions | undefined;

  constructor(context: Context, repeat: RepeatOptions | undefined) {
    this.#context = context;
    this.#repeat = repeat;
  }

  has(source: Source): boolean {
    if (!this.#repeat) return false;
    const { followed, unwanted } = this.#repeat;
    return followed.has(source.path) || unwanted.get(source.source) === stampOf(source);
  }

  /** Nobody wants it as it is now. */
  add(source: Source): void {
    this.#repeat?.unwanted.set(source.source, stampOf(source));
  }

  /** Its record is made by who carries it, or carries the session that it helps, as soon as they see it. */
  async isFollowed({ agent, path }: Source, nativeId: string, parent: string | null): Promise<boolean> {
    if (!this.#repeat) return false;
    const { followed } = this.#repeat;
    if (followed.has(nativeId) || (parent !== null && followed.has(parent))) return true;
    const helped = parent === null ? undefined : await findByNativeId(this.#context, agent.type, parent);
    if (helped && isCarried(helped) && isLive(helped.state)) return true;
    return pidsWriting(path).some((pid) => markerOf(pid) !== undefined);
  }

  /** It changed a moment ago, and may still be written though nobody has it open. */
  isFresh({ mtimeMs }: Source): boolean {
    return this.#repeat !== undefined && this.#context.now() - mtimeMs < this.#repeat.settleMs;
  }
}

/** The same as long as the file is. */
function stampOf({ sizeBytes, mtimeMs }: Source): string {
  return `${sizeBytes} ${mtimeMs}`;
}
