// Requests for the tests of both modes.
import type { Waiting } from "../../domain/session/session.ts";
import { AT_PROMPT } from "../../domain/supervise/signal.ts";

export function request(given: Partial<Waiting>): Waiting {
  return { ...AT_PROMPT, since: "2026-11-16T22:00:00.000Z", ...given };
}

export function permission(tool: string, input = {}): Waiting {
  return request({ for: "permission", requestId: "r1", tool, input });
}

export function one(question: string, labels: readonly string[], multiSelect = false) {
  return { question, options: labels.map((label) => ({ label })), multiSelect };
}

export function asks(...questions: readonly object[]): Waiting {
  return request({ for: "question", requestId: "r1", input: { questions } as never });
}
