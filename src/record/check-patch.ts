import { checkFlag, checkMetadata, checkOneOf, checkText } from "../domain/check.ts";
import { checkReference } from "../domain/session/id.ts";
import { PHASES } from "../domain/session/phase.ts";
import { STATUSES } from "../domain/session/state.ts";
import type { SessionPatch } from "../domain/session/update.ts";

/** Refuses a patch with any value that is not allowed. */
export function checkPatch(patch: SessionPatch): SessionPatch {
  if (patch.phase !== undefined) checkOneOf(PHASES, patch.phase, "phase");
  if (patch.status !== undefined) checkOneOf(STATUSES, patch.status, "status");
  if (patch.resumeReady !== undefined) checkFlag(patch.resumeReady, "resume_ready");
  if (patch.error !== undefined) checkText(patch.error, "error", 65_536);
  if (patch.name !== undefined && patch.name !== null) checkReference(patch.name, "name");
  return patch.metadata === undefined ? patch : { ...patch, metadata: checkMetadata(patch.metadata) };
}
