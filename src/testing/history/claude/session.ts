import type { RequestTruth } from "../truth.ts";
import type { World } from "../world.ts";

export type ClaudeRecord = Readonly<Record<string, unknown>>;

/** A line of a transcript, with what is true of it. */
export interface Row {
  readonly record: ClaudeRecord;
  /** The request that this line is a block of. All of its blocks share one object. */
  readonly request?: RequestTruth;
  /** Names the turn that this line begins. */
  readonly turn?: string;
}

interface NewRow {
  readonly request?: RequestTruth;
  readonly turn?: string;
}

/** One transcript of Claude Code while it is written. */
export class ClaudeSession {
  readonly rows: Row[] = [];
  /** Lines that are no records. */
  readonly rubbish = new Map<number, string>();
  leaf: string | null = null;
  /** A record that forks never copy says when the session began. */
  isDated = false;
  isForked = false;
  /** No fork holds all of its requests in full. */
  isNeeded = false;
  /** The last turn has said that it is over. */
  isTurnClosed = false;
  readonly world: World;
  readonly id: string;
  readonly folder: string;
  readonly agentId: string | null;
  readonly workflow: string | null;
  /** Older releases do not say where a prompt came from. */
  readonly hasPromptSource: boolean;

  constructor(
    world: World,
    about: { id: string; folder: string; agentId?: string; workflow?: string | null; origin?: ClaudeSession },
  ) {
    this.world = world;
    this.id = about.id;
    this.folder = about.folder;
    this.agentId = about.agentId ?? null;
    this.workflow = about.workflow ?? null;
    const isNewer = about.origin?.hasPromptSource === true;
    this.hasPromptSource = this.agentId === null && (isNewer || !world.lay("claude: no promptSource", 0.35));
  }

  get nativeId(): string {
    return this.agentId === null ? this.id : `agent-${this.agentId}`;
  }

  get path(): string {
    if (this.agentId === null) return `projects/${this.folder}/${this.id}.jsonl`;
    const middle = this.workflow === null ? "" : `workflows/${this.workflow}/`;
    return `projects/${this.folder}/${this.id}/subagents/${middle}agent-${this.agentId}.jsonl`;
  }

  /** Adds a record to the chain, and makes it the leaf. */
  add(record: ClaudeRecord, row: NewRow = {}): string {
    const uuid = this.world.uuid();
    const isUnnamed = row.request !== undefined && hasName(record) && this.world.lay("claude: no uuid", 0.03);
    this.rows.push({ ...row, record: { ...this.common(), ...record, ...(isUnnamed ? {} : { uuid }) } });
    if (isUnnamed) this.isNeeded = true;
    else this.leaf = uuid;
    return uuid;
  }

  /** Adds a record that belongs to no chain. */
  addLoose(record: ClaudeRecord): void {
    this.rows.push({ record: { ...record, sessionId: this.id } });
  }

  common(): ClaudeRecord {
    return {
      parentUuid: this.leaf,
      isSidechain: this.agentId !== null,
      ...(this.agentId === null ? {} : { agentId: this.agentId }),
      userType: "external",
      cwd: "/work/project",
      sessionId: this.id,
      version: "2.1.325",
      gitBranch: "main",
      timestamp: this.world.tick(),
    };
  }

  /** The rows from the root to the leaf. */
  chain(): Row[] {
    const byUuid = new Map(this.rows.map((row) => [row.record.uuid, row]));
    const found: Row[] = [];
    for (let row = byUuid.get(this.leaf ?? ""); row !== undefined; ) {
      found.unshift(row);
      row = byUuid.get(row.record.parentUuid ?? row.record.logicalParentUuid ?? "");
    }
    return found;
  }

  lines(): string[] {
    return this.rows.flatMap(({ record }, index) => {
      const rubbish = this.rubbish.get(index);
      return rubbish === undefined ? [JSON.stringify(record)] : [rubbish, JSON.stringify(record)];
    });
  }
}

function hasName({ message }: ClaudeRecord): boolean {
  return (message as { id?: string }).id !== undefined;
}
