/** A stretch of a session's events, by seq, both ends included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The spans with one more. One that covers others takes their place, as it does when a person goes back further. */
export function addSpan(spans: readonly Span[], span: Span): readonly Span[] {
  const others = spans.filter(({ from, to }) => to < span.from || from > span.to);
  const covered = spans.filter((one) => !others.includes(one));
  const from = Math.min(span.from, ...covered.map((one) => one.from));
  const to = Math.max(span.to, ...covered.map((one) => one.to));
  return [...others, { from, to }].sort((a, b) => a.from - b.from);
}

/** Whether an event lies in a part of the conversation that was taken back. */
export function isRewound(spans: readonly Span[] | undefined, seq: number): boolean {
  return spans?.some(({ from, to }) => from <= seq && seq <= to) ?? false;
}
