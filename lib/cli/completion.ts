import type { Command, Option } from 'commander';

/** Shells that completion is written for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A shell that completion is written for. */
export type Shell = (typeof SHELLS)[number];

/** The text that teaches a shell the commands and options of a program. */
export function completionFor(shell: Shell, program: Command): string {
  return { bash, zsh, fish }[shell](program);
}

/** Options that are shown, `--help` among them. */
function optionsOf(command: Command): Option[] {
  return command.createHelp().visibleOptions(command);
}

function bash(program: Command): string {
  const name = program.name();
  const words = (command: Command): string =>
    optionsOf(command)
      .map(({ long }) => long ?? '')
      .join(' ');
  const choices = program.commands.flatMap((command) =>
    optionsOf(command).flatMap(({ long, argChoices }) =>
      argChoices === undefined
        ? []
        : [`    ${command.name()}:${long ?? ''}) words='${argChoices.join(' ')}' ;;`],
    ),
  );
  const first = program.commands.map((command) => {
    const [argument] = command.registeredArguments;
    return argument?.argChoices === undefined
      ? []
      : [`    ${command.name()}:*) words='${argument.argChoices.join(' ')}' ;;`];
  });
  return `# bash completion of ${name}; source it, or write it to ~/.local/share/bash-completion/completions/${name}
_cdk8s_tpu_ray() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    words='${program.commands.map((command) => command.name()).join(' ')} ${words(program)}'
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  case $word in
    -*)
      case $command in
${program.commands.map((command) => `        ${command.name()}) words='${words(command)}' ;;`).join('\n')}
      esac
      COMPREPLY=($(compgen -W "$words" -- "$word"))
      return
      ;;
  esac
  case $command:$before in
${[...choices, ...first.flat()].join('\n')}
  esac
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); fi
}
complete -o default -F _cdk8s_tpu_ray ${name}
`;
}

function zsh(program: Command): string {
  const name = program.name();
  const text = (words: string): string => words.replace(/[[\]:'\\]/g, ' ');
  const option = ({ long, description, required, argChoices }: Option): string => {
    const values = argChoices === undefined ? '_files' : `(${argChoices.join(' ')})`;
    return `'${long ?? ''}[${text(description)}]${required ? `:value:${values}` : ''}'`;
  };
  const argument = (command: Command): string => {
    const choices = command.registeredArguments[0]?.argChoices;
    return choices === undefined ? `'*:directory:_files -/'` : `'1:word:(${choices.join(' ')})'`;
  };
  const commands = program.commands.map(
    (command) => `    '${command.name()}:${text(command.description())}'`,
  );
  const cases = program.commands.map(
    (command) =>
      `    ${command.name()}) _arguments ${[...optionsOf(command).map(option), argument(command)].join(' ')} ;;`,
  );
  return `#compdef ${name}
# zsh completion of ${name}; write it to a folder of $fpath as _${name}, or source it
_cdk8s_tpu_ray() {
  local -a commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _cdk8s_tpu_ray ${name}
`;
}

function fish(program: Command): string {
  const name = program.name();
  const quote = (words: string): string => `'${words.replace(/['\\]/g, '\\$&')}'`;
  const commands = program.commands.map(
    (command) =>
      `complete -c ${name} -n __fish_use_subcommand -f -a ${command.name()} -d ${quote(command.description())}`,
  );
  const options = program.commands.flatMap((command) => {
    const when = `-n '__fish_seen_subcommand_from ${command.name()}'`;
    const choices = command.registeredArguments[0]?.argChoices;
    return [
      ...optionsOf(command).map(({ long, description, required, argChoices }) => {
        const values = argChoices === undefined ? '' : ` -a ${quote(argChoices.join(' '))}`;
        return `complete -c ${name} ${when} -l ${(long ?? '').slice(2)}${required ? ' -r' : ''}${values} -d ${quote(description)}`;
      }),
      ...(choices === undefined ? [] : [`complete -c ${name} ${when} -f -a ${quote(choices.join(' '))}`]),
    ];
  });
  return `# fish completion of ${name}; write it to ~/.config/fish/completions/${name}.fish\n${[...commands, ...options].join('\n')}\n`;
}
