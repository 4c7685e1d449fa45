const REQUEST = /^\{"type":\s*"api-request/u;

/** Whether a line holds a whole request to the model: large, and no part of the conversation. */
export function isRequestLine(text: string): boolean {
  return REQUEST.test(text);
}
