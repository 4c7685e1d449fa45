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
  readonly encrypted_content?: string;
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

/** The `messages` of OpenAI's chat completions: the results of one answer's calls follow each other. */
export function readChat(messages: readonly Item[]): Conversation {
  const prompts: string[] = [];
  let round = 0;
  let wasResult = false;
  for (const { role, content } of messages) {
    if (role === "tool" && !wasResult) round += 1;
    wasResult = role === "tool";
    if (role !== "user") continue;
    for (const prompt of blocksOf(content).flatMap(typedIn)) {
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
    if (role !== "user" && type !== "agent_message") continue;
    for (const prompt of blocksOf(content).flatMap(type === "agent_message" ? orderedIn : typedIn)) {
      prompts.push(prompt);
      round = 0;
    }
  }
  return { prompts, round };
}

interface Content {
  readonly role?: string;
  readonly parts?: readonly { readonly text?: string; readonly functionResponse?: unknown }[];
}

/** The `contents` of Google: the results of one answer's calls are the parts of one content. */
export function readContents(contents: readonly Content[]): Conversation {
  const prompts: string[] = [];
  let round = 0;
  for (const { role, parts = [] } of contents) {
    if (role === "model") continue;
    if (parts.some(({ functionResponse }) => functionResponse !== undefined)) round += 1;
    // A text is split where it names a file, and what the program adds stands beside it.
    for (const prompt of parts.flatMap(({ text }) => typedIn({ type: "text", text: text ?? "" }))) {
      prompts.push(prompt);
      round = 0;
    }
  }
  return { prompts, round };
}

/** The task that one agent of Codex gives another; the rest of such a message names sender and receiver. */
function orderedIn({ type, encrypted_content: text = "" }: Item): string[] {
  return type === "encrypted_content" && text.includes("[[") ? [text] : [];
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
