import type { Json, JsonObject } from "../../domain/json.ts";
import { idOf, listOf, objectOf } from "../json-lines.ts";
import { MODEL, request } from "./protocol.ts";

/** The model that an open conversation has, where the agent says so. */
export function modelOf({ configOptions, models }: JsonObject): string | null {
  return idOf(modelOption(configOptions)?.currentValue) ?? idOf(objectOf(models).currentModelId);
}

/** The option of the agent that chooses its model. */
export function modelOption(configOptions: Json | undefined): JsonObject | undefined {
  return listOf(configOptions)
    .map((option) => objectOf(option))
    .find(({ id, category }) => category === "model" && typeof id === "string");
}

/** The request that chooses a model; a sentence where the agent lets nobody choose; undefined where nobody wants to. */
export function modelRequest(
  sessionId: string,
  opened: JsonObject,
  wanted: string | null,
): object | string | undefined {
  if (wanted === null) return undefined;
  const option = modelOption(opened.configOptions);
  if (option) {
    const params = { sessionId, configId: option.id, value: wanted };
    return request(MODEL, "session/set_config_option", params);
  }
  if (listOf(objectOf(opened.models).availableModels).length > 0)
    return request(MODEL, "session/set_model", { sessionId, modelId: wanted });
  return `The agent offers no choice of its model: ${JSON.stringify(wanted)} was not chosen.`;
}
