/**
 * A clock that nobody can set, in milliseconds. Short-lived commands use it instead of `performance.now()`, for whose sake
 * Node 24 loads ten modules of its own.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
