import type { RequestTruth } from "../truth.ts";
import type { World } from "../world.ts";

export type CodexRecord = Readonly<Record<string, unknown>>;

/** A line of a rollout, with what is true of it. */
export interface Row {
  readonly at: string;
  readonly type: string;
  readonly payload: CodexRecord;
  readonly request?: RequestTruth;
  /** Names the turn that this line begins. */
  readonly turn?: string;
  /** The text of that turn. */
  readonly text?: string;
}

type RowTruth = Pick<Row, "request" | "turn" | "text">;

/** The counters of a rollout: cached and written tokens are parts of the input, reasoning of the output. */
export interface Counters {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  readonly reasoning: number;
}

export const ZERO: Counters = { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 };

/** How a rollout says what its requests used. */
export const STYLES = ["counters", "records", "upgraded", "ancient"] as const;
export type Style = (typeof STYLES)[number];

/** One rollout of Codex while it is written. */
export class CodexThread {
  readonly rows: Row[] = [];
  readonly rubbish = new Map<number, string>();
  total: Counters = ZERO;
  last: Counters = ZERO;
  /** The parent's total is where the counters of a child begin. */
  hasOwnTotal = false;
  isUpgraded = false;
  readonly world: World;
  readonly id: string;
  readonly startedAt: number;
  readonly style: Style;
  readonly isPaginated: boolean;
  readonly origin: CodexThread | null;
  readonly isSubAgent: boolean;
  firstOrdinal = 0;
  hasTotalTokens = true;
  model = "gpt-5";

  constructor(
    world: World,
    about: { style: Style; isPaginated: boolean; origin?: CodexThread; isSubAgent?: boolean },
  ) {
    this.world = world;
    world.tick();
    this.startedAt = world.now;
    this.id = world.uuid();
    this.style = about.style;
    this.isPaginated = about.isPaginated;
    this.origin = about.origin ?? null;
    this.isSubAgent = about.isSubAgent ?? false;
    this.isUpgraded = about.style === "records";
  }

  get name(): string {
    const second = new Date(this.startedAt).toISOString().slice(0, 19).replaceAll(":", "-");
    return `rollout-${second}-${this.id}.jsonl`;
  }

  get path(): string {
    return `sessions/${new Date(this.startedAt).toISOString().slice(0, 10).replaceAll("-", "/")}/${this.name}`;
  }

  add(type: string, payload: CodexRecord, more: RowTruth = {}): void {
    this.rows.push({ at: this.world.tick(), type, payload, ...more });
  }

  event(type: string, payload: CodexRecord = {}, more: RowTruth = {}): void {
    this.add("event_msg", { type, ...payload }, more);
  }

  lines(): string[] {
    return this.rows.flatMap(({ at, type, payload }, index) => {
      const ordinal = this.isPaginated ? { ordinal: this.firstOrdinal + index } : {};
      const line = JSON.stringify({ timestamp: at, ...ordinal, type, payload });
      const rubbish = this.rubbish.get(index);
      return rubbish === undefined ? [line] : [rubbish, line];
    });
  }
}
