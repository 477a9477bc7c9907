import type { CompletedCommand, CompletedOption, ValueCompletion } from './describe-commands.ts'

/** A completion script for bash 3.2 and newer. It starts no process, and evaluates nothing that is typed or on disk. */
export function writeBash(commands: readonly CompletedCommand[]): string {
  return `# bash completion for argot. Load it with: source <(argot completion bash)
_argot_words() {
  local word
  for word in $1; do [[ $word == "$cur"* ]] && COMPREPLY+=("$word"); done
}
_argot_list() {
  local head='' tail=$cur word
  [[ $cur == *,* ]] && head=\${cur%,*}, tail=\${cur##*,}
  for word in $1; do [[ $word == "$tail"* ]] && COMPREPLY+=("$head$word"); done
}
_argot_paths() {
  local path
  type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(
    compgen -d -- "$cur"
    [[ $1 == documents ]] && compgen -f -X '!*.chatmd' -- "$cur"
    [[ $1 == files ]] && compgen -f -- "$cur"
  )
}
_argot() {
  local line=\${COMP_LINE:0:COMP_POINT} cur='' prev='' command='' at=0 index word IFS=$' \\t\\n'
  local -a typed
  COMPREPLY=()
  read -ra typed <<< "$line"
  [[ $line == *[[:space:]] ]] || { cur=\${typed[\${#typed[@]}-1]}; unset "typed[\${#typed[@]}-1]"; }
  prev=\${typed[\${#typed[@]}-1]}
  command=\${typed[1]-}
  if [[ -z $command ]]; then
    _argot_words ${quote([...commands.map(({ name }) => name), '--help', '--version'].join(' '))}
    return
  fi
  case "$command $prev" in
${commands.flatMap(writeOptionValues).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case "$command" in
${commands.map(({ name, options }) => `      ${name}) _argot_words ${quote(options.flatMap(spell).join(' '))} ;;`).join('\n')}
    esac
    return
  fi
  for (( index = 2; index < \${#typed[@]}; index++ )); do
    word=\${typed[index]}
    case "$command $word" in
${commands.flatMap(writeSkips).join('\n')}
      *' '-?*) ;;
      *) at=$((at + 1)) ;;
    esac
  done
  case "$command $at" in
${commands.flatMap(writeArguments).join('\n')}
  esac
  return 0
}
# Bash breaks words at colons: what is before the last one is there already.
_argot_complete() {
  _argot
  local typed=\${COMP_LINE:0:COMP_POINT} head index
  typed=\${typed##*[[:space:]]}
  [[ $typed == *:* && $COMP_WORDBREAKS == *:* ]] || return 0
  head=\${typed%"\${typed##*:}"}
  for index in "\${!COMPREPLY[@]}"; do COMPREPLY[index]=\${COMPREPLY[index]#"$head"}; done
}
complete -F _argot_complete argot
`
}

function spell({ long, short }: CompletedOption): string[] {
  return short === undefined ? [long] : [long, short]
}

function writeOptionValues({ name, options }: CompletedCommand): string[] {
  return options.flatMap(option => {
    if (option.value === undefined) return []
    const patterns = spell(option).map(flag => `'${name} ${flag}'`)
    return [`    ${patterns.join('|')}) ${writeCompletion(option.value)}; return ;;`]
  })
}

/** An option's value isn't an argument of the command. */
function writeSkips({ name, options }: CompletedCommand): string[] {
  const flags = options.filter(({ value }) => value !== undefined).flatMap(spell)
  return flags.length === 0
    ? []
    : [`      ${flags.map(flag => `'${name} ${flag}'`).join('|')}) index=$((index + 1)) ;;`]
}

function writeArguments({ name, arguments: positional, repeats }: CompletedCommand): string[] {
  return positional.map((completion, at) => {
    const isLast = at === positional.length - 1
    return `    ${repeats && isLast ? `'${name} '*` : `'${name} ${at}'`}) ${writeCompletion(completion)} ;;`
  })
}

function writeCompletion(completion: ValueCompletion): string {
  if (completion === 'nothing') return ':'
  if (typeof completion === 'string') return `_argot_paths ${completion}`
  return `${completion.isList === true ? '_argot_list' : '_argot_words'} ${quote(completion.words.join(' '))}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
