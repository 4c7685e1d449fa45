import type { Answer, RunOptions, User } from "./rollcall.ts";

export function hook(
  user: User,
  name: string,
  input: object | string,
  { flags = [], env = {} }: { readonly flags?: readonly string[]; readonly env?: RunOptions["env"] } = {},
): Promise<Answer> {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return user.rollcall(["hook", name, ...flags], { input: text, env });
}

/** A session that a verdict says yes to. */
export async function resumable(user: User, id: string, ...flags: string[]): Promise<void> {
  await user.create("--id", id, ...flags);
  await user.ok(["update", id, "--phase", "approval"]);
}
