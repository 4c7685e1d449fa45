import { secretValues } from "../domain/secret-values.ts";
import type { Config } from "./config.ts";

/** The values of an environment that are worth hiding: by the look of their names, and those that the settings name. */
export function secretsOf(config: Config, env: Readonly<Record<string, string | undefined>>): string[] {
  const named = config["redact.env"].map((name) => env[name]).filter((value) => value !== undefined);
  return [...secretValues(env), ...named];
}
