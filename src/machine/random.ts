/** Loaded at first use: node:crypto takes milliseconds, and a command that only reads needs none of it. */
export function randomBytes(count: number): Buffer {
  return process.getBuiltinModule("node:crypto").randomBytes(count);
}
