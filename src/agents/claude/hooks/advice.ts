import type { DelegationAdvice, ResumeMetadata } from "../../../domain/delegation.ts";
import { toWire } from "../../../domain/wire.ts";

/** Claude Code shows its model only the beginning of a text that is longer than 10,000 characters. */
const LONGEST = 9000;

/** The text for Claude's model about the sub-agent that it delegates to; undefined where there is nothing to say. */
export function adviceText(advice: DelegationAdvice, agentName: string): string | undefined {
  const { shouldResume, reason, agentId, resumeMetadata, candidates } = advice;
  if (agentId !== null && !(shouldResume && resumeMetadata))
    return `Rollcall: session ${agentId} cannot be taken up (${reason}).`;
  if (agentId !== null && resumeMetadata)
    return withTurns(`Rollcall: session ${agentId} can be taken up. What is known of it:`, resumeMetadata);
  if (candidates.length === 0) return undefined;
  const lines = candidates.map(
    ({ agentId: id, phase, purpose, lastUpdated }) =>
      `- ${id}: phase ${phase}, purpose ${purpose ?? "unknown"}, last active ${lastUpdated}`,
  );
  const head = `Rollcall: earlier sessions of ${agentName} can be taken up. To go on with one, say \`agent_id: ID\` in the prompt of the delegation.`;
  return cut([head, ...lines].join("\n"));
}

/** As many of the turns as there is room for, the newest before all. */
function withTurns(head: string, known: ResumeMetadata): string {
  let { context } = known;
  const text = () => `${head}\n${JSON.stringify(toWire({ ...known, context }))}`;
  while (text().length > LONGEST && context.length > 0) context = context.slice(1);
  return cut(text());
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}… (cut)`;
}
