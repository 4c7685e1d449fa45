import { RollcallError } from "../../domain/errors.ts";

export function unreachable(id: string): RollcallError {
  return new RollcallError("wrong_state", `Session ${id} cannot be reached; nothing was sent.`, {
    hint: `See \`rollcall explain ${id}\`.`,
  });
}
