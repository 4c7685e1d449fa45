/** The option that chooses the model. */
export function modelOptions(currentValue: string) {
  const options = ["scripted-1", "scripted-2"].map((value) => ({ value, name: value }));
  return [{ id: "model", name: "Model", category: "model", type: "select", currentValue, options }];
}
