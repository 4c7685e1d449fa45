import { isJsonObject, type JsonObject } from "../../../domain/json.ts";
import type { Turn } from "./turn.ts";

/** Tools, and what an agent asks before it goes on. */
export const REQUEST_DIRECTIVES = {
  tool: (turn: Turn, text: string) => {
    const { name, params } = toolOf(text);
    useTool(turn, name, params);
  },
  ask,
  question,
};

function useTool(turn: Turn, name: string, params: JsonObject): void {
  const id = `call_${crypto.randomUUID()}`;
  turn.tell({ type: "tool_call", id, name, params });
  turn.tell({ type: "tool_result", id, name, result: "ok" });
}

/** Tools that are not asked about again, until the program ends. */
const allowed = new Set<string>();

async function ask(turn: Turn, text: string): Promise<void> {
  const { name, params } = toolOf(text);
  if (allowed.has(name)) return useTool(turn, name, params);
  const answer = await turn.ask({ kind: "permission", tool: name, input: params });
  if ("decision" in answer && answer.decision === "approve" && answer.always) allowed.add(name);
  if ("decision" in answer && answer.decision === "approve") return useTool(turn, name, params);
  const reason = "decision" in answer && answer.decision === "deny" ? answer.reason : null;
  turn.say(`${name} was denied${reason === null ? "." : `: ${reason}`}`);
}

/** `TEXT? A | B | C`; without options any text answers it. */
async function question(turn: Turn, text: string): Promise<void> {
  const [, asked = text, rest = ""] = /^(.*?\?)\s*(.*)$/.exec(text) ?? [];
  const options = rest === "" ? null : rest.split("|").map((option) => option.trim());
  if (options !== null && options.length > 9) throw new Error("a question has at most nine options");
  const answer = await turn.ask({ kind: "question", question: asked, options });
  turn.say("choice" in answer ? `You chose: ${answer.choice}` : "Nobody answered.");
}

function toolOf(text: string): { readonly name: string; readonly params: JsonObject } {
  const [, name, json] = /^(\S+)\s*(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new Error("a tool needs a name");
  const params: unknown = json ? JSON.parse(json) : {};
  if (!isJsonObject(params)) throw new Error("a tool takes a JSON object");
  return { name, params };
}
