import type { ServerResponse } from "node:http";
import { StreamedCompletion } from "./chat-completions.ts";
import type { Usage } from "./directives.ts";
import { StreamedContent, sendGoogleError, WholeContent } from "./generate-content.ts";
import { StreamedMessage, sendError, WholeMessage } from "./messages.ts";
import type { RecordedRequest } from "./recorded-request.ts";
import { StreamedResponse, sendFailure } from "./responses.ts";
import { claudeTools, codexTools, geminiTools, opencodeTools } from "./tools.ts";
import type { Tools, Voice } from "./voice.ts";

/** One way to ask a model. */
export interface Protocol {
  readonly paths: RegExp;
  readonly tools: Tools;
  voice(response: ServerResponse, request: RecordedRequest, usage: Usage): Voice;
  fail(response: ServerResponse, status: number, message: string): void;
}

export const PROTOCOLS: readonly Protocol[] = [
  {
    paths: /^\/v1\/messages$/,
    tools: claudeTools,
    voice: (response, { model, isStreamed }, usage) =>
      isStreamed ? new StreamedMessage(response, model, usage) : new WholeMessage(response, model),
    fail: sendError,
  },
  {
    paths: /^\/v1\/responses$/,
    tools: codexTools,
    voice: (response) => new StreamedResponse(response),
    fail: sendFailure,
  },
  {
    paths: /^\/v1\/chat\/completions$/,
    tools: opencodeTools,
    voice: (response, { model }) => new StreamedCompletion(response, model),
    fail: sendFailure,
  },
  {
    paths: /^\/v1beta\/models\/[^/:]+:(?:streamGenerateContent|generateContent)$/,
    tools: geminiTools,
    voice: (response, { model, isStreamed }) =>
      isStreamed ? new StreamedContent(response, model) : new WholeContent(response, model),
    fail: sendGoogleError,
  },
];
