import type { CompletedCommand, CompletedOption, ValueCompletion } from './describe-commands.ts'

/** A completion script for zsh, either a file `_argot` in `fpath` or sourced. It starts no process. */
export function writeZsh(commands: readonly CompletedCommand[]): string {
  return `#compdef argot
# zsh completion for argot. Load it with: source <(argot completion zsh)
_argot() {
  local curcontext=$curcontext state line
  local -a commands
  _arguments -C '(- *)'{-h,--help}'[show this help]' '(- *)'{-V,--version}'[show the version]' '1: :->command' '*:: :->rest'
  case $state in
    command)
      commands=(
${commands.map(({ name, description }) => `        ${quote(`${name}:${escapeColons(description)}`)}`).join('\n')}
      )
      _describe -t commands command commands ;;
    rest)
      case $words[1] in
${commands.map(writeCommand).join('\n')}
      esac ;;
  esac
}
if [[ $funcstack[1] == _argot ]]; then _argot "$@"; else compdef _argot argot; fi
`
}

function writeCommand({ name, options, arguments: positional, repeats }: CompletedCommand): string {
  const specs = [
    ...options.flatMap(writeOption),
    ...positional.map((completion, index) => {
      const isLast = index === positional.length - 1
      return quote(`${repeats && isLast ? '*' : ''}:${writeAction(completion)}`)
    }),
  ]
  return `        ${name}) _arguments -s ${specs.join(' ')} ;;`
}

function writeOption({ long, short, description, value }: CompletedOption): string[] {
  const text = `[${description.replaceAll(/[[\]\\]/g, '\\$&').replaceAll(':', '\\:')}]`
  const action = value === undefined ? '' : `:value:${writeAction(value).replace(/^[^:]*:/, '')}`
  const spellings = short === undefined ? [long] : [long, short]
  return spellings.map(one => quote(`*${one}${text}${action}`))
}

function writeAction(completion: ValueCompletion): string {
  switch (completion) {
    case 'nothing':
      return 'value: '
    case 'folders':
      return 'folder:_files -/'
    case 'files':
      return 'file:_files'
    case 'documents':
      return 'document:_files -g "*.chatmd"'
    default: {
      const words = completion.words.map(word => word.replaceAll(':', '\\:').replaceAll(' ', '\\ '))
      return completion.isList === true ? `words:_sequence compadd - ${words.join(' ')}` : `word:(${words.join(' ')})`
    }
  }
}

function escapeColons(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(':', '\\:')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
