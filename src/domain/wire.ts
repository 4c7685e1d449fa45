/** Fields whose content belongs to someone else: their keys are never renamed. */
const OPAQUE = new Set([
  "metadata",
  "sessionMetadata",
  "session_metadata",
  "originalContext",
  "original_context",
  "input",
  "params",
  "result",
  "governanceResult",
  "governance_result",
  "toolCalls",
  "tool_calls",
  "env",
  // Keyed by the names of models.
  "prices",
]);

/** The snake_case form of our own data, for every wire. */
export function toWire(value: unknown): unknown {
  return rename(value, snakeCase);
}

/** Our own form of snake_case data: the exact inverse of `toWire`. */
export function fromWire(value: unknown): unknown {
  return rename(value, camelCase);
}

function rename(value: unknown, name: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, name));
  if (typeof value !== "object" || value === null) return value;
  const renamed: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    renamed[name(key)] = OPAQUE.has(key) ? inner : rename(inner, name);
  }
  return renamed;
}

const snakeKeys = new Map<string, string>();
const camelKeys = new Map<string, string>();

function snakeCase(key: string): string {
  return remember(snakeKeys, key, (text) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function camelCase(key: string): string {
  return remember(camelKeys, key, (text) =>
    text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

/** Our keys are a small fixed set; foreign ones are not remembered without bound. */
function remember(known: Map<string, string>, key: string, make: (key: string) => string): string {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make(key);
  if (known.size < 500) known.set(key, made);
  return made;
}
