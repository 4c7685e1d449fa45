import { execFileSync } from "node:child_process";

/** Runs a program to its end; throws with what it said when it fails. */
export function sh(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function hasProgram(name: string): boolean {
  try {
    sh("sh", "-c", `command -v ${name}`);
    return true;
  } catch {
    return false;
  }
}
