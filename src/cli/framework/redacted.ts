/** What a call echoes, such as a word that it refuses, may hold a secret of the environment as well as what it stores. */
export async function redacted<T>(value: T): Promise<T> {
  const { createRedactor } = await import("../../domain/redact/redact.ts");
  const { secretValues } = await import("../../domain/redact/secret-values.ts");
  return createRedactor(secretValues(process.env)).value(value);
}
