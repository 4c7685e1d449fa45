import fc from "fast-check";
import type { Json, JsonObject } from "../../domain/json.ts";

/** Words that agents use, so that what is given is often nearly right. */
const WORDS = [
  "type",
  "state",
  "turn",
  "kind",
  "text",
  "id",
  "request_id",
  "name",
  "usage",
  "session_id",
  "app",
  "subtype",
  "status",
  "message",
  "content",
  "request",
  "response",
  "operation",
  "timestamp",
  "tool_name",
  "tool_input",
  "tool_use_id",
  "msg",
  "subagent",
  "agentId",
  "isSidechain",
  "turn_duration",
  "params",
  "method",
  "threadId",
];
const VALUES = [
  "init",
  "request",
  "result",
  "user",
  "assistant",
  "tool_call",
  "good",
  "permission",
  "blocked",
  "idle",
  "busy",
  "waiting",
  "running",
  "claude-code",
  "system",
  "control_request",
  "control_response",
  "can_use_tool",
  "session_state_changed",
  "queue-operation",
  "enqueue",
  "tool_use",
  "tool_result",
  "turn_duration",
  "helper",
  "2026-11-16T22:00:00.000Z",
];
/** Events of hooks. */
export const events = fc.oneof(
  fc.constantFrom("SessionStart", "PermissionRequest", "SessionEnd", "session_start", "turn_end", "request"),
  fc.string(),
);
const keys = fc.oneof(fc.constantFrom(...WORDS, "__proto__", "constructor"), fc.string({ maxLength: 5 }));
const values = fc.oneof(fc.constantFrom(...VALUES), fc.jsonValue({ maxDepth: 3 }));
export const objects = fc
  .dictionary(keys, values, { maxKeys: 8 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);
export const texts = fc.dictionary(
  keys,
  fc.oneof(fc.constantFrom(...VALUES, "scripted", "e30="), fc.string()),
);
export const lines = fc.oneof(
  objects.map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ unit: "binary" }),
);

/** Values that a memory may hold after an older release or a damaged file. */
const remembered = fc
  .oneof(values, fc.array(fc.oneof(objects, values), { maxLength: 3 }), objects)
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);
/** A memory in which every key has the same value, so that no parser reads a key that is not there. */
const full = remembered.map(
  (value) => new Proxy({}, { get: (_, name) => (typeof name === "string" ? value : undefined) }),
);
export const memories: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.dictionary(keys, remembered).map((value) => ({ ...value })),
  full as fc.Arbitrary<JsonObject>,
);
