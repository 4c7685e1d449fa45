import type { Call, CallStep, Tools } from "./voice.ts";

export const claudeTools: Tools = (step) => {
  switch (step.do) {
    case "run":
      return { name: "Bash", input: { command: step.command, description: "Scripted command" } };
    case "call":
      return { name: step.name, input: step.input };
    case "ask": {
      const question = {
        question: step.question,
        header: "Choice",
        options: optionsOf(step),
        multiSelect: false,
      };
      return { name: "AskUserQuestion", input: { questions: [question] } };
    }
  }
};

export const opencodeTools: Tools = (step) => {
  switch (step.do) {
    case "run":
      return { name: "bash", input: { command: step.command, description: "Scripted command" } };
    case "call":
      return { name: step.name, input: step.input };
    case "ask": {
      const question = { question: step.question, header: "Choice", options: optionsOf(step) };
      return { name: "question", input: { questions: [question] } };
    }
  }
};

/** To newer models Codex offers most of its tools only inside a script of theirs. */
export const codexTools: Tools = (step, offered) => {
  const { name, input } = codexCall(step);
  if (offered.includes(name) || offered.includes(`functions.${name}`)) return { name, input };
  if (!offered.includes("functions.exec")) return { name: checkOffered(name, offered), input };
  return { name: "exec", input: `text(await tools.${name}(${JSON.stringify(input)}));` };
};

/** Codex drops a call into a namespace that it does not offer to this model without a word. */
function checkOffered(name: string, offered: readonly string[]): string {
  if (!name.includes(".")) return name;
  throw new Error(`This model is not offered ${name}, only ${offered.join(", ")}.`);
}

function codexCall(step: CallStep): Call {
  switch (step.do) {
    case "run": {
      const asking = { sandbox_permissions: "require_escalated", justification: "Scripted reason" };
      return { name: "exec_command", input: { cmd: step.command, ...(step.isRisky ? asking : {}) } };
    }
    case "call":
      return { name: step.name, input: step.input };
    case "ask": {
      const question = { id: "choice", header: "Choice", question: step.question, options: optionsOf(step) };
      return { name: "request_user_input", input: { questions: [question] } };
    }
  }
}

export const geminiTools: Tools = (step) => {
  switch (step.do) {
    case "run":
      return {
        name: "run_shell_command",
        input: { command: step.command, description: "Scripted command" },
      };
    case "call":
      return { name: step.name, input: step.input };
    case "ask": {
      const question = {
        question: step.question,
        header: "Choice",
        type: "choice",
        options: optionsOf(step),
      };
      return { name: "ask_user", input: { questions: [question] } };
    }
  }
};

function optionsOf({ options }: { readonly options: readonly string[] }): object[] {
  return options.map((label) => ({ label, description: `Choose ${label}` }));
}
