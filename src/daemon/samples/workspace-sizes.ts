import { SerialQueue } from "../../machine/serial-queue.ts";
import { isSharedFolder } from "../../machine/workspace.ts";
import { workspaceSize } from "../../telemetry/workspace-size.ts";

/** A walk that takes longer is given up, and tried again much later. */
const MOST_MS = 10_000;
const GIVEN_UP_MS = 3_600_000;
/** A walk takes a twentieth of the time at most, however large the folder is. */
const REST_FACTOR = 20;
/** Nothing that the sessions in it did says so, but somebody else may have changed it. */
const UNMOVED_FACTOR = 10;

interface Workspace {
  bytes: number | null;
  /** Whether a session in it did something since the last walk began. */
  hasMoved: boolean;
  isWalking: boolean;
  walkedAtMs: number;
  restMs: number;
}

/** The sizes of the workspaces of live sessions, each measured by itself, one after the other. */
export class WorkspaceSizes {
  readonly #workspaces = new Map<string, Workspace>();
  readonly #walks = new SerialQueue();
  readonly #leaving = new AbortController();

  /** The newest size of a folder; one that is due is measured soon. Folders of everybody are not measured. */
  sizeOf(folder: string, { hasMoved, everyMs }: { hasMoved: boolean; everyMs: number }): number | null {
    const workspace = this.#workspaces.get(folder) ?? this.#add(folder);
    workspace.hasMoved ||= hasMoved;
    const restMs = Math.max(everyMs * (workspace.hasMoved ? 1 : UNMOVED_FACTOR), workspace.restMs);
    if (!workspace.isWalking && performance.now() >= workspace.walkedAtMs + restMs)
      void this.#walk(folder, workspace);
    return workspace.bytes;
  }

  /** Forgets all but these. */
  keep(folders: ReadonlySet<string | null>): void {
    for (const folder of this.#workspaces.keys()) if (!folders.has(folder)) this.#workspaces.delete(folder);
  }

  end(): void {
    this.#leaving.abort();
  }

  #add(folder: string): Workspace {
    const walkedAtMs = isSharedFolder(folder) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    const workspace = { bytes: null, hasMoved: false, isWalking: false, walkedAtMs, restMs: 0 };
    this.#workspaces.set(folder, workspace);
    return workspace;
  }

  async #walk(folder: string, workspace: Workspace): Promise<void> {
    workspace.isWalking = true;
    await this.#walks.run(async () => {
      workspace.hasMoved = false;
      workspace.walkedAtMs = performance.now();
      const bytes = await workspaceSize(folder, { mostMs: MOST_MS, signal: this.#leaving.signal });
      const tookMs = performance.now() - workspace.walkedAtMs;
      workspace.bytes = bytes ?? workspace.bytes;
      workspace.restMs = tookMs >= MOST_MS ? GIVEN_UP_MS : tookMs * REST_FACTOR;
    });
    workspace.isWalking = false;
  }
}
