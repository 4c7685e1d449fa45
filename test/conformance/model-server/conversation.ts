/** What a request tells of its conversation. */
export interface Conversation {
  /** Everything that was typed in it so far, the newest last. */
  readonly prompts: readonly string[];
  /** How often tool results came back since the newest of them. */
  readonly round: number;
}

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly text?: string;
  readonly content?: string | readonly Item[];
}

/** The `messages` of Anthropic. */
export function readMessages(messages: readonly Item[]): Conversation {
  const prompts: string[] = [];
  let round = 0;
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    const blocks = blocksOf(content);
    if (blocks.some(({ type }) => type === "tool_result")) round += 1;
    for (const prompt of blocks.flatMap(typedIn)) {
      prompts.push(prompt);
      round = 0;
    }
  }
  return { prompts, round };
}

/** The `input` of OpenAI's Responses: the outputs of one answer's calls follow each other. */
export function readInput(input: readonly Item[]): Conversation {
  const prompts: string[] = [];
  let round = 0;
  let wasOutput = false;
  for (const { type, role, content } of input) {
    const isOutput = type?.endsWith("_call_output") ?? false;
    if (isOutput && !wasOutput) round += 1;
    wasOutput = isOutput;
    if (role !== "user") continue;
    for (const prompt of blocksOf(content).flatMap(typedIn)) {
      prompts.push(prompt);
      round = 0;
    }
  }
  return { prompts, round };
}

function blocksOf(content: string | readonly Item[] | undefined): readonly Item[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

/** What a person typed in it: the programs add reminders and surroundings of their own, in tags. */
function typedIn({ type, text = "" }: Item): string[] {
  if (type !== "text" && type !== "input_text") return [];
  const typed = text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "").trim();
  const isAdded = withoutTags(typed) === "" || typed.startsWith("[Request interrupted by user");
  return isAdded ? [] : [typed];
}

function withoutTags(text: string): string {
  return text.replace(/<([a-z][\w-]*)>[\s\S]*?<\/\1>/g, "").trim();
}
