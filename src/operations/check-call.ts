import type { z } from "zod";
import { RollcallError } from "../domain/errors.ts";
import { OPERATIONS, type OperationName } from "./table.ts";

/** Checks a call against the table; refuses in one sentence a call that does not fit. */
export function checkCall(
  operation: string,
  input: unknown,
): { readonly name: OperationName; readonly input: unknown } {
  if (!Object.hasOwn(OPERATIONS, operation))
    throw new RollcallError("bad_input", `There is no operation ${JSON.stringify(operation)}.`, {
      hint: `Valid: ${Object.keys(OPERATIONS).join(", ")}.`,
    });
  const name = operation as OperationName;
  const checked = OPERATIONS[name].input.safeParse(input);
  if (checked.success) return { name, input: checked.data };
  const [first] = checked.error.issues;
  const where = first?.path.join(".") ?? "";
  throw new RollcallError(
    "bad_input",
    `The input of ${name} is wrong${where === "" ? "" : ` at ${where}`}: ${describeIssue(first)}.`,
  );
}

/** In the words of the caller, not of the library that checks. */
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case "unrecognized_keys":
      return `${issue.keys.join(", ")} is not known`;
    case "too_big":
      return `at most ${issue.maximum}`;
    case "too_small":
      return `at least ${issue.minimum}`;
    case "invalid_type":
      return `${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected} is needed`;
    case "invalid_value":
      return `valid are ${issue.values.join(", ")}`;
    default:
      return "it does not fit";
  }
}
