import { RollcallError } from "../../domain/errors.ts";

/** The place of an option, which a choice names by its text or its number. */
export function optionIndex(options: readonly string[], choice: string): number {
  const named = options.indexOf(choice);
  const index = named >= 0 ? named : /^\d+$/.test(choice) ? Number(choice) - 1 : -1;
  if (index in options) return index;
  throw new RollcallError("bad_input", `${JSON.stringify(choice)} is not offered.`, {
    hint: `Valid: ${options.join(", ")}; or a number from 1 to ${options.length}.`,
  });
}
