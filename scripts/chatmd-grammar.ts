import { tagNames } from '../packages/core/src/chatmd/reader/tag.ts'
import { type CallPatterns, callPatterns, type Rule, scopes } from './call-grammar.ts'

/** A grammar for VS Code and Shiki. */
export interface TextMateGrammar {
  name: string
  scopeName: string
  fileTypes: string[]
  patterns: Rule[]
  repository: Record<string, { patterns: Rule[] }>
}

/** How the text in an element is coloured: as an author's, as a model's, or as data. */
type Kind = 'prompt' | 'answer' | 'thought' | 'data'

const emptyElements = ['config', 'tool', 'doc', 'img', 'import']
const kinds: Readonly<Record<string, Kind>> = {
  msg: 'prompt',
  user: 'prompt',
  system: 'prompt',
  developer: 'prompt',
  agent: 'prompt',
  assistant: 'answer',
  reasoning: 'thought',
  summary: 'thought',
  tool_call: 'data',
  tool_response: 'data',
}
const sections = tagNames.filter(name => !['doc', 'img', 'import', 'agent', 'summary'].includes(name))
/** Matches the end of a tag's name. */
const nameEnd = '(?=[\\s/>]|$)'

/**
 * ChatMD's TextMate grammar, with calls in `xml`, `caret`, `callout` and `fence`. It is built from the document
 * vocabulary, element by element, so that no colour reaches past an element's closing tag.
 */
export function chatmdGrammar(): TextMateGrammar {
  const containers = Object.keys(kinds)
  return {
    name: 'chatmd',
    scopeName: 'text.chatmd',
    fileTypes: ['chatmd'],
    patterns: [
      include('comment'),
      include('elements'),
      // Text is not allowed between elements.
      {
        match: `(?:(?!<!--|</?(?:${tagNames.join('|')})(?:[\\s/>]|$))\\S)+`,
        name: 'invalid.illegal.text-at-top.chatmd',
      },
      include('stray-close'),
    ],
    repository: {
      comment: { patterns: [comment] },
      elements: { patterns: [...containers, 'empty'].map(name => include(`element-${name}`)) },
      attributes: { patterns: attributes },
      raw: { patterns: [raw([])] },
      'raw-json': { patterns: [raw(json)] },
      json: { patterns: json },
      'stray-close': {
        patterns: [
          {
            match: `(</)(${tagNames.join('|')})\\s*(>)`,
            captures: scopes(
              '',
              'punctuation.definition.tag',
              'invalid.illegal.closing-tag',
              'punctuation.definition.tag',
            ),
          },
        ],
      },
      helpers: { patterns: tag(['doc', 'img', 'import']) },
      'element-empty': { patterns: tag(emptyElements) },
      ...Object.fromEntries(containers.map(name => [`element-${name}`, { patterns: [element(name)] }])),
      ...Object.fromEntries(containers.map(name => [`content-${name}`, { patterns: content(name) }])),
    },
  }
}

function include(name: string): Rule {
  return { include: `#${name}` }
}

const comment: Rule = {
  begin: '<!--',
  end: '-->',
  name: 'comment.block.chatmd',
}

const attributes: Rule[] = [
  include('comment'),
  { match: '[A-Za-z0-9_:-]+', name: 'entity.other.attribute-name.chatmd' },
  {
    begin: '=',
    beginCaptures: scopes('', 'punctuation.separator.key-value'),
    // Spaces and line breaks may come before a value.
    end: '(?<=["\'])|(?=>|/>)|(?<=[^\\s=])(?=\\s)',
    patterns: [
      quoted('"', 'double'),
      quoted("'", 'single'),
      { match: '(?:(?!/>)[^\\s<>"\'])(?:(?!/>)[^\\s<>])*', name: 'string.unquoted.chatmd' },
    ],
  },
]

function quoted(quote: string, kind: string): Rule {
  return {
    begin: quote,
    end: quote,
    name: `string.quoted.${kind}.chatmd`,
    patterns: [
      include('comment'),
      { match: '\\\\["\']|\\\\\\\\(?=["\'])', name: 'constant.character.escape.chatmd' },
      { match: '&(?:amp|lt|gt|quot|apos);', name: 'constant.character.entity.chatmd' },
    ],
  }
}

/** JSON that a single line can show. No match extends past its line or its element. */
const json: Rule[] = [
  {
    match: '("(?:(?!\\|RAW)[^"\\\\]|\\\\.)*")(?=\\s*:)',
    captures: scopes('', 'support.type.property-name.json'),
  },
  { match: '"(?:(?!\\|RAW)[^"\\\\]|\\\\.)*"', name: 'string.quoted.double.json' },
  { match: '(?<![\\w.])-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?(?![\\w.])', name: 'constant.numeric.json' },
  { match: '\\b(?:true|false|null)\\b', name: 'constant.language.json' },
]

function raw(patterns: Rule[]): Rule {
  return {
    begin: 'RAW\\|',
    end: '\\|RAW',
    beginCaptures: scopes('keyword.control.raw'),
    endCaptures: scopes('keyword.control.raw'),
    contentName: patterns.length === 0 ? 'string.unquoted.raw.chatmd' : 'meta.embedded.raw.chatmd',
    patterns,
  }
}

/** Elements without content. A closing tag adds nothing. */
function tag(names: readonly string[]): Rule[] {
  const [tagName, punctuation] = ['entity.name.tag', 'punctuation.definition.tag']
  return [
    {
      begin: `(<)(${names.join('|')})${nameEnd}`,
      beginCaptures: scopes('', punctuation, tagName),
      end: '/?>',
      endCaptures: scopes(punctuation),
      name: 'meta.tag.chatmd',
      patterns: [include('attributes')],
    },
    { match: `(</)(${names.join('|')})\\s*(>)`, captures: scopes('', punctuation, tagName, punctuation) },
  ]
}

function element(name: string): Rule {
  const closing = `</${name}\\s*>`
  // An author's element without a closing tag ends where the next one begins.
  const next = kinds[name] === 'prompt' ? `|^(?=<(?:${sections.join('|')})${nameEnd})` : ''
  return {
    begin: `(<)(${name})${nameEnd}`,
    beginCaptures: scopes('', 'punctuation.definition.tag', 'entity.name.tag'),
    end: `(</)(${name})\\s*(>)|(/>)${next}`,
    endCaptures: scopes(
      '',
      'punctuation.definition.tag',
      'entity.name.tag',
      'punctuation.definition.tag',
      'punctuation.definition.tag',
    ),
    name: `meta.element.${name}.chatmd`,
    patterns: [
      {
        begin: '>',
        beginCaptures: scopes('punctuation.definition.tag'),
        end: `(?=${closing})${next}`,
        contentName: `meta.content.${name}.chatmd`,
        patterns: [include(`content-${name}`)],
      },
      include('attributes'),
    ],
  }
}

function content(name: string): Rule[] {
  const kind = kinds[name]
  const marks: Rule[] = [include('comment'), include(kind === 'data' ? 'raw-json' : 'raw')]
  const closing = `</${name}\\s*>`
  if (kind === 'data') return [...marks, include('helpers'), include('json')]
  if (kind === 'thought') {
    const inner = name === 'reasoning' ? [include('element-summary')] : []
    return [...marks, ...inner, include('helpers'), ...prose({ guard: closing, inner: marks, notCode: closing }, false)]
  }
  if (kind === 'answer') {
    const inner = [...marks, include('helpers')]
    return [...inner, ...prose({ guard: closing, inner, notCode: closing }, true)]
  }
  const inner = [...marks, include('elements')]
  const anyTag = `</?(?:${tagNames.join('|')})(?:[\\s/>]|$)|<!--|RAW\\|`
  return [
    ...inner,
    { match: '\\{\\{\\s*(?:tools|syntax)\\s*\\}\\}', name: 'variable.other.place.chatmd' },
    ...prose({ guard: `${closing}|^<(?:${sections.join('|')})(?:[\\s/>]|$)`, inner, notCode: anyTag }, true),
  ]
}

/** Calls, and as much Markdown as decides where a call may begin. */
function prose(places: CallPatterns, withCalls: boolean): Rule[] {
  const { guard, inner, notCode } = places
  const line = (begin: string, name: string): Rule => ({
    begin,
    end: `$|(?=${guard})`,
    name,
    patterns: [...inner, code],
  })
  const code: Rule = {
    match: `(?<!\`)(\`+)(?!\`)((?:(?!${notCode}).)*?[^\`])\\1(?!\`)`,
    name: 'markup.inline.raw.chatmd',
  }
  return [
    { match: '\\\\[!-/:-@\\[-`{-~]', name: 'constant.character.escape.chatmd' },
    ...(withCalls ? callPatterns(places) : []),
    {
      begin: '^ {0,3}(`{3,}|~{3,})(?:[^`]*)$',
      end: `^ {0,3}(\\1)[\`~]*[ \\t]*$|(?=${guard})`,
      name: 'markup.fenced_code.block.chatmd',
      patterns: inner,
    },
    code,
    line('^ {0,3}#{1,6}(?=\\s)', 'markup.heading.chatmd'),
    line('^ {0,3}>(?! ?\\[!tool[\\s\\]])', 'markup.quote.chatmd'),
    line('^\\s*(?:[-*+]|\\d{1,9}[.)])(?=\\s)', 'markup.list.chatmd'),
  ]
}
