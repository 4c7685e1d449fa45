import type { Answer, User } from "./rollcall.ts";

export function hook(user: User, name: string, input: object | string): Promise<Answer> {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return user.rollcall(["hook", name], { input: text });
}

/** A session that a verdict says yes to. */
export async function resumable(user: User, id: string, ...flags: string[]): Promise<void> {
  await user.create("--id", id, ...flags);
  await user.ok(["update", id, "--phase", "approval"]);
}
