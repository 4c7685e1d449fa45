/** The number of a durable write to `sessions` or `requests`: one more than any before, also of rows that are gone. */
export const NEXT_CHANGE = `(1 + max(
  coalesce((SELECT max(changed) FROM sessions), 0),
  coalesce((SELECT max(changed) FROM requests), 0),
  coalesce((SELECT changed FROM log WHERE one = 1), 0)
))`;
