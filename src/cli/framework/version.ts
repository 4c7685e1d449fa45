import type { Output } from "./output.ts";

/** Put in by the build, from package.json. */
declare const ROLLCALL_VERSION: string;

export function showVersion(output: Output): number {
  const version = ROLLCALL_VERSION;
  if (output.isJson) output.json({ version });
  else output.line(version);
  return 0;
}
