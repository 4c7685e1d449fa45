import { isWorthHiding, secretValues } from "../domain/redact/secret-values.ts";
import type { Config } from "./settings.ts";

/** The values of an environment that are worth hiding: by the look of their names, and those that the settings name. */
export function secretsOf(config: Config, env: Readonly<Record<string, string | undefined>>): string[] {
  const named = config["redact.env"].map((name) => env[name] ?? "").filter(isWorthHiding);
  return [...secretValues(env), ...named];
}
