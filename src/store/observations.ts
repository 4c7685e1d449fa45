import type { Sample, SampleSums } from "../domain/sample.ts";
import type { LiveFacts } from "../domain/session/session.ts";
import type { Instant } from "../domain/time.ts";

/**
 * Observations that may be lost in a power cut: cheap, for many sessions at once, and awaited by nobody's promise
 * of durability. Sessions that are gone or damaged are passed over.
 */
export interface Observations {
  /** Merges what was observed into what the store has of each session, field by field, all in one transaction. */
  observe(batch: readonly SessionObservation[]): Promise<void>;
  /**
   * Keeps samples, all in one transaction; one that a session has of that moment already is left out. The newest is shown
   * as the session's `resources`, with the average and the peak over all samples that it ever had.
   */
  addSamples(batch: readonly SessionSample[]): Promise<void>;
  /** In order of time, from `since` on and before `until`. */
  samples(
    sessionId: string,
    range?: { readonly since?: Instant; readonly until?: Instant },
  ): Promise<Sample[]>;
  /** The sums over all samples that a session ever had, however many were made into one since. */
  sampleSums(sessionId: string): Promise<SampleSums>;
  /**
   * Makes one sample of all that a session has in each step of time, for every session and each step that was over
   * before this moment. Averages and peaks over the whole life stay exact. In steps, between which others can write;
   * says how many samples fewer there are. Idempotent.
   */
  thinSamples(before: Instant, stepMs: number): Promise<number>;
}

export interface SessionObservation {
  readonly sessionId: string;
  readonly observed: Partial<Omit<LiveFacts, "resources">>;
}

export interface SessionSample {
  readonly sessionId: string;
  readonly sample: Sample;
}
