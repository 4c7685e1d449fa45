import type { Json } from "../../domain/json.ts";
import { listOf, objectOf, textOf } from "../json-lines.ts";

/** A block of content as text; what is no text is named. */
export function blockText(block: Json | undefined): string {
  const { type, text, uri, name, resource, mimeType } = objectOf(block);
  switch (type) {
    case "text":
      return textOf(text) ?? "";
    case "resource_link":
      return textOf(uri) ?? textOf(name) ?? "";
    case "resource":
      return textOf(objectOf(resource).text) ?? textOf(objectOf(resource).uri) ?? "";
    default:
      return `[${textOf(mimeType) ?? textOf(type) ?? "content"}]`;
  }
}

/** The content of a tool call: its text where it is nothing else, else as it is. */
export function toolContent(content: Json | undefined): Json | null {
  const parts = listOf(content);
  if (parts.length === 0) return null;
  const isText = parts.every(
    (part) => objectOf(part).type === "content" && objectOf(objectOf(part).content).type === "text",
  );
  return isText ? parts.map((part) => blockText(objectOf(part).content)).join("\n") : parts;
}
