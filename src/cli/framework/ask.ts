import { createInterface } from "node:readline/promises";

/** A question to a person at the terminal; anything but yes is a no. */
export async function askYes(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `).catch(interrupted);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** Ctrl-C and Ctrl-D are a no, too; they leave the cursor behind the question. */
function interrupted(): string {
  process.stderr.write("\n");
  return "no";
}
