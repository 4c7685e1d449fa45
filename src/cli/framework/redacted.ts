/** Echoed input, such as a refused word, may hold a secret of the environment just as stored data may. */
export async function redacted<T>(value: T): Promise<T> {
  const { createRedactor } = await import("../../domain/redact/redact.ts");
  const { secretValues } = await import("../../domain/redact/secret-values.ts");
  return createRedactor(secretValues(process.env)).value(value);
}
