import { checkOneOf } from "../../domain/check.ts";
import { type Command, JSON_OPTION } from "../framework/command.ts";

const SCRIPTS = {
  bash: `_rollcall() {
  local candidate quoted
  COMPREPLY=()
  while IFS= read -r candidate; do
    printf -v quoted %q "$candidate"
    COMPREPLY+=("$quoted")
  done < <(rollcall __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _rollcall rollcall`,
  zsh: `#compdef rollcall
_rollcall() {
  local -a candidates
  candidates=("\${(@f)$(rollcall __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $candidates
}
compdef _rollcall rollcall`,
  fish: `function __rollcall_complete
  set -l words (commandline -opc) (commandline -ct)
  rollcall __complete $words[2..-1] 2>/dev/null
end
complete -c rollcall -f -a '(__rollcall_complete)'`,
} as const;

const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

export const command: Command = {
  words: "bash|zsh|fish",
  takes: [1, 1],
  completes: [SHELLS],
  about: "Prints a script that lets your shell complete commands, options, ids and names of sessions.",
  options: { json: JSON_OPTION },
  examples: [
    ['eval "$(rollcall completion bash)"', "in ~/.bashrc"],
    ['eval "$(rollcall completion zsh)"', "in ~/.zshrc, after compinit"],
    ["rollcall completion fish | source", "in ~/.config/fish/config.fish"],
  ],
  async run(input, output) {
    const script = SCRIPTS[checkOneOf(SHELLS, input.words[0], "shell with completion")];
    if (output.isJson) output.json({ script });
    else output.line(script);
    return 0;
  },
};
