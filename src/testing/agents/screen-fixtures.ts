import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const AGENTS = join(import.meta.dirname, "..", "..", "agents");

/** The names of the screens that an agent's folder holds. */
export function screenNames(agent: string): string[] {
  return readdirSync(join(AGENTS, agent, "fixtures"));
}

export function screenFixture(agent: string, name: string): string {
  return read(agent, name, "screen.txt");
}

/** The meaning of the screen, as a person has read it. */
export interface ExpectedScreen {
  readonly rule: string | null;
  readonly says?: string;
  readonly for?: string;
  readonly asked?: object | null;
  readonly taken?: readonly string[];
  readonly box?: "empty" | "typed";
}

export function expectedScreen(agent: string, name: string): ExpectedScreen {
  return JSON.parse(read(agent, name, "expected.json")) as ExpectedScreen;
}

function read(agent: string, name: string, file: string): string {
  return readFileSync(join(AGENTS, agent, "fixtures", name, file), "utf8");
}
