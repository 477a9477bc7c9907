/** The part of a TextMate rule that the grammar uses. */
export interface Rule {
  include?: string
  match?: string
  begin?: string
  end?: string
  while?: string
  name?: string
  contentName?: string
  captures?: Captures
  beginCaptures?: Captures
  endCaptures?: Captures
  whileCaptures?: Captures
  patterns?: Rule[]
}

type Captures = Record<string, { name: string }>

/** Depends on the element that calls are in. */
export interface CallPatterns {
  /** A pattern that ends every call, even one that isn't closed. */
  guard: string
  /** Rules that apply inside a call. */
  inner: Rule[]
  /** A pattern that a code span cannot contain. */
  notCode: string
}

const NAME = '[A-Za-z0-9_.-]+'
const fields = 'toolCallId|id|toolName|name|state|input|output|errorText|error'

/** The scopes of a match (first) and of its groups, in order. Empty names are left out. */
export function scopes(...names: string[]): Captures {
  return Object.fromEntries(
    names.flatMap((name, index) => (name === '' ? [] : [[String(index), { name: `${name}.chatmd` }]])),
  )
}

export function callPatterns(places: CallPatterns): Rule[] {
  return [xml(places), caret(places), callout(places), fence(places)]
}

/**
 *   | <tool:read_file><param:path>a.md</param:path></tool:read_file>
 */
function xml({ guard, inner }: CallPatterns): Rule {
  return {
    begin: `(<)(tool:)(${NAME})(>)(?=\\s*(?:<param:|</tool:\\3>|$))`,
    beginCaptures: scopes(
      '',
      ...call('punctuation.definition.tag', 'keyword.other.call'),
      'punctuation.definition.tag',
    ),
    end: `(</)(tool:)(\\3)(>)|(?=[^\\s<])|(?=<(?!param:))|(?=${guard})`,
    endCaptures: scopes('', ...call('punctuation.definition.tag', 'keyword.other.call'), 'punctuation.definition.tag'),
    name: 'meta.call.xml.chatmd',
    patterns: [
      {
        begin: `(<)(param:)(${NAME}(?:#${NAME})?)(>)`,
        beginCaptures: parameter,
        end: `(</)(param:)(\\3)(>)|(?=${guard})`,
        endCaptures: parameter,
        contentName: 'string.unquoted.value.chatmd',
        patterns: inner,
      },
    ],
  }
}

function call(...before: string[]): string[] {
  return [...before, 'entity.name.function']
}

const parameter = scopes(
  '',
  'punctuation.definition.tag',
  'keyword.other.parameter',
  'variable.parameter',
  'punctuation.definition.tag',
)

/**
 *   | ^^^read_file
 *   | path: a.md
 *   | ^^^
 */
function caret({ guard, inner, notCode }: CallPatterns): Rule {
  const value = `((?:(?!${guard}|${notCode}|<!--|RAW\\|).)*)`
  return {
    begin: `^(\\^\\^\\^)(${NAME})[ \\t]*$`,
    beginCaptures: scopes('', ...call('keyword.other.call')),
    end: `^(\\^\\^\\^)[ \\t]*$|(?=${guard})`,
    endCaptures: scopes('', 'keyword.other.call'),
    name: 'meta.call.caret.chatmd',
    patterns: [
      ...inner,
      {
        begin: `^[ \\t]*(${NAME})[ \\t]+(-{3,})[ \\t]*$`,
        beginCaptures: scopes('', 'variable.parameter', 'punctuation.definition.block'),
        end: `^(\\2)[ \\t]+(\\1)[ \\t]*$|(?=${guard})`,
        endCaptures: scopes('', 'punctuation.definition.block', 'variable.parameter'),
        contentName: 'string.unquoted.value.chatmd',
        patterns: inner,
      },
      {
        begin: `^[ \\t]*(${NAME})(:)[ \\t]*(\\[)[ \\t]*$`,
        beginCaptures: scopes('', 'variable.parameter', 'punctuation.separator', 'punctuation.definition.list'),
        end: `^[ \\t]*(\\])[ \\t]*$|(?=${guard})`,
        endCaptures: scopes('', 'punctuation.definition.list'),
        contentName: 'string.unquoted.value.chatmd',
        patterns: inner,
      },
      {
        match: `^[ \\t]*(${NAME})(:)[ \\t]*${value}`,
        captures: scopes('', 'variable.parameter', 'punctuation.separator', 'string.unquoted.value'),
      },
      {
        match: `^[ \\t]*(-)[ \\t]+${value}`,
        captures: scopes('', 'punctuation.definition.list', 'string.unquoted.value'),
      },
    ],
  }
}

const words = `(?:[ \\t]+((?:toolName|name|toolCallId|id)=[^\\]]*)|[ \\t]+(${NAME})(?:[ \\t]+([^\\s\\]]+))?)?`
const wordScopes = ['entity.other.attribute-name', 'entity.name.function', 'constant.other.id'] as const

/** YAML that a single line can show. */
const yaml: Rule[] = [
  { match: '"(?:[^"\\\\]|\\\\.)*"(?!\\s*:)', name: 'string.quoted.double.yaml' },
  { match: "'(?:[^']|'')*'(?!\\s*:)", name: 'string.quoted.single.yaml' },
  {
    match: `((?:[A-Za-z0-9_.$-]+|"(?:[^"\\\\]|\\\\.)*"|'(?:[^']|'')*'))(:)(?=\\s|$)`,
    captures: scopes('', 'entity.name.tag.yaml', 'punctuation.separator'),
  },
  { match: '(?<=: )[|>][+-]?[0-9]?\\s*$', name: 'keyword.control.block-scalar.yaml' },
  { match: '(?<=[:\\-\\[,] )(?:true|false|null|~)(?=\\s*(?:$|[,\\]}]))', name: 'constant.language.yaml' },
  { match: '(?<=[:\\-\\[,] )-?\\d+(?:\\.\\d+)?(?=\\s*(?:$|[,\\]}]))', name: 'constant.numeric.yaml' },
]

/**
 *   | > [!tool read_file call_1]
 *   | > input:
 *   | >   path: a.md
 */
function callout({ inner }: CallPatterns): Rule {
  return {
    begin: `^ {0,3}(>) ?(\\[!tool)${words}[ \\t]*(\\])[ \\t]*$`,
    beginCaptures: scopes(
      '',
      'punctuation.definition.quote',
      'keyword.other.call',
      ...wordScopes,
      'keyword.other.call',
    ),
    while: '^ {0,3}(>)(?! ?\\[!tool[\\s\\]])',
    whileCaptures: scopes('', 'punctuation.definition.quote'),
    name: 'meta.call.callout.chatmd',
    patterns: [
      ...inner,
      {
        match: `(?<=> |>)(${fields})(:)(?=\\s|$)`,
        captures: scopes('', 'keyword.other.field', 'punctuation.separator'),
      },
      ...yaml,
    ],
  }
}

/**
 *   | ```tool read_file call_1
 *   | input:
 *   |   path: a.md
 *   | ```
 */
function fence({ guard, inner }: CallPatterns): Rule {
  return {
    begin: `^ {0,3}(\`{3,})(tool)${words}[ \\t]*$`,
    beginCaptures: scopes('', 'keyword.other.call', 'keyword.other.call', ...wordScopes),
    end: `^ {0,3}(\\1)\`*[ \\t]*$|(?=${guard})`,
    endCaptures: scopes('', 'keyword.other.call'),
    name: 'meta.call.fence.chatmd',
    patterns: [
      ...inner,
      { match: `^(${fields})(:)(?=\\s|$)`, captures: scopes('', 'keyword.other.field', 'punctuation.separator') },
      ...yaml,
    ],
  }
}
