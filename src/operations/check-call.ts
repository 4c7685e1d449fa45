import { z } from "zod";
import { RollcallError } from "../domain/errors.ts";
import { OPERATIONS, type OperationName } from "./table.ts";

/** What a caller wants, checked against the table; refused in one sentence where it does not fit. */
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
    `The input of ${name} is wrong${where === "" ? "" : ` at ${where}`}: ${first?.message ?? z.prettifyError(checked.error)}.`,
  );
}
