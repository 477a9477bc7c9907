import type { CompletedCommand, CompletedOption, ValueCompletion } from './describe-commands.ts'

/** A completion script for fish. It only runs fish's own functions. */
export function writeFish(commands: readonly CompletedCommand[]): string {
  return `# fish completion for argot. Load it with: argot completion fish | source
function __argot_argument
    set -l typed (commandline -opc)
    test (count $typed) -gt 1; and test $typed[2] = $argv[1]; or return 1
    test (count $argv) -eq 1; and return 0
    set -l at 0
    set -l skips 0
    for word in $typed[3..-1]
        if test $skips -eq 1
            set skips 0
        else if contains -- $word $argv[3..-1]
            set skips 1
        else if not string match -q -- '-?*' $word
            set at (math $at + 1)
        end
    end
    test $argv[2] = any -o "$argv[2]" = $at
end
complete -c argot -f
complete -c argot -n __fish_use_subcommand -s h -l help -d ${quote('show this help')}
complete -c argot -n __fish_use_subcommand -s V -l version -d ${quote('show the version')}
${commands.flatMap(writeCommand).join('\n')}
`
}

function writeCommand(command: CompletedCommand): string[] {
  const { name, description, options, arguments: positional, repeats } = command
  const withValue = options
    .filter(({ value }) => value !== undefined)
    .flatMap(({ long, short }) => [long, short ?? long])
  return [
    `complete -c argot -n __fish_use_subcommand -a ${name} -d ${quote(description)}`,
    ...options.map(option => writeOption(name, option)),
    ...positional.flatMap((completion, index) => {
      const at = repeats && index === positional.length - 1 ? 'any' : index
      const condition = ['__argot_argument', name, at, ...new Set(withValue)].join(' ')
      const action = writeAction(completion)
      return action === '' ? [] : [`complete -c argot -n ${quote(condition)} ${action}`]
    }),
  ]
}

function writeOption(command: string, { long, short, description, value }: CompletedOption): string {
  const spelling = `${short === undefined ? '' : `-s ${short.slice(1)} `}-l ${long.slice(2)}`
  const takes = value === undefined ? '' : ` -r ${writeAction(value) || '-f'}`
  return `complete -c argot -n '__argot_argument ${command}' ${spelling}${takes} -d ${quote(description)}`
}

function writeAction(completion: ValueCompletion): string {
  switch (completion) {
    case 'nothing':
      return ''
    case 'folders':
      return `-f -a '(__fish_complete_directories)'`
    case 'files':
      return '-F'
    case 'documents':
      return `-f -a '(__fish_complete_suffix .chatmd)'`
    default:
      if (completion.isList === true)
        return `-f -a ${quote(`(__fish_complete_list , "printf '%s\\n' ${completion.words.join(' ')}")`)}`
      return `-f -a ${quote(completion.words.join(' '))}`
  }
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
