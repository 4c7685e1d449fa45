import { expect, test } from "vitest";
import { modelOf, modelRequest } from "./models.ts";

const OPTION = { id: "model-option", category: "model", currentValue: "big" };
const LIST = { currentModelId: "small", availableModels: [{ modelId: "small" }] };

test("the model of a conversation is that of its option, else that of its list", () => {
  expect(modelOf({ configOptions: [OPTION], models: LIST })).toBe("big");
  expect(modelOf({ configOptions: [{ ...OPTION, category: "mode" }], models: LIST })).toBe("small");
  expect(modelOf({})).toBeNull();
});

test("a model that nobody wants is not chosen", () => {
  expect(modelRequest("s1", { configOptions: [OPTION] }, null)).toBeUndefined();
});

test.each([
  ["its option", { configOptions: [OPTION], models: LIST }, "session/set_config_option"],
  ["its list", { models: LIST }, "session/set_model"],
])("a wanted model is chosen by %s", (_, opened, method) => {
  expect(modelRequest("s1", opened, "huge")).toMatchObject({ method, params: { sessionId: "s1" } });
});

test.each([
  ["no option and no list", {}],
  ["an empty list", { models: { availableModels: [] } }],
  ["an option without an id", { configOptions: [{ category: "model" }] }],
])("an agent with %s does not let anybody choose a model, and a sentence says so", (_, opened) => {
  expect(modelRequest("s1", opened, "huge")).toMatch(/offers no choice/);
});
