export interface CodeLanguage {
  /** The marks that begin a line comment. */
  line: readonly string[]
  block: readonly [string, string] | undefined
  /** Quotes of single-line strings, and of multi-line strings. */
  quotes: string
  longQuotes: readonly string[]
  keywords: ReadonlySet<string>
  isCaseInsensitive?: boolean
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const c = { line: ['//'], block: ['/*', '*/'], quotes: `"'`, longQuotes: [] } as const
const hash = { line: ['#'], block: undefined, quotes: `"'`, longQuotes: [] } as const

const script: CodeLanguage = {
  ...c,
  longQuotes: ['`'],
  keywords: words(
    'abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace new null of override private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield',
  ),
}

const languages: Readonly<Record<string, CodeLanguage>> = {
  script,
  c: {
    ...c,
    keywords: words(
      'abstract alignas auto bool boolean break byte case catch char class const constexpr continue default delete do double else enum explicit extends extern false final finally float for friend goto if implements import in inline instanceof int interface internal long namespace new null nullptr operator out override package private protected public readonly record ref return sealed short signed sizeof static string struct super switch synchronized template this throw throws true try typedef typename union unsigned using var virtual void volatile while',
    ),
  },
  go: {
    ...c,
    longQuotes: ['`'],
    keywords: words(
      'any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface map nil package range return rune select string struct switch true type uint var',
    ),
  },
  rust: {
    ...c,
    quotes: '"',
    keywords: words(
      'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while',
    ),
  },
  swift: {
    ...c,
    longQuotes: ['"""'],
    keywords: words(
      'actor any as associatedtype async await break by case catch class companion constructor continue data default defer deinit do else enum extension false fileprivate final for fun func guard if import in init inout interface internal is let nil null object open operator out override package private protocol public return sealed self some static struct super suspend switch throw throws true try typealias val var when where while',
    ),
  },
  python: {
    ...hash,
    longQuotes: ['"""', "'''"],
    keywords: words(
      'and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield',
    ),
  },
  ruby: {
    ...hash,
    keywords: words(
      'alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield',
    ),
  },
  shell: {
    ...hash,
    keywords: words(
      'case do done elif else esac exit export fi for function if in local readonly return set shift then trap unset until while',
    ),
  },
  data: {
    ...hash,
    keywords: words('true false null yes no on off FROM RUN COPY CMD ENV ARG WORKDIR ENTRYPOINT EXPOSE'),
  },
  json: { ...c, quotes: '"', keywords: words('true false null') },
  css: {
    line: [],
    block: ['/*', '*/'],
    quotes: `"'`,
    longQuotes: [],
    keywords: words(
      '@charset @container @font-face @import @keyframes @layer @media @page @property @supports important',
    ),
  },
  markup: { line: [], block: ['<!--', '-->'], quotes: `"'`, longQuotes: [], keywords: words('') },
  sql: {
    line: ['--'],
    block: ['/*', '*/'],
    quotes: `"'`,
    longQuotes: [],
    isCaseInsensitive: true,
    keywords: words(
      'add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true union unique update using values view when where with',
    ),
  },
  lua: {
    line: ['--'],
    block: ['--[[', ']]'],
    quotes: `"'`,
    longQuotes: [],
    keywords: words(
      'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
    ),
  },
}

const names: Readonly<Record<keyof typeof languages, string>> = {
  script: 'js jsx ts tsx mjs cjs mts cts javascript typescript vue svelte',
  c: 'c h cc cpp cxx hpp cs csharp java php scala dart objc glsl proto',
  go: 'go golang',
  rust: 'rs rust',
  swift: 'swift kt kts kotlin',
  python: 'py pyi python',
  ruby: 'rb ruby',
  shell: 'sh bash zsh shell console shellscript fish',
  data: 'yaml yml toml ini conf env dockerfile makefile make properties',
  json: 'json jsonc json5 jsonl',
  css: 'css scss less',
  markup: 'html htm xml svg xhtml',
  sql: 'sql psql sqlite',
  lua: 'lua',
}

const byName: ReadonlyMap<string, CodeLanguage> = new Map(
  Object.entries(names).flatMap(([key, list]) => list.split(' ').map(name => [name, languages[key]!] as const)),
)

/** The language with this name, such as `ts`, `python` or `Dockerfile`; undefined if unknown. */
export function codeLanguage(name: string): CodeLanguage | undefined {
  return byName.get(name.toLowerCase())
}

export function detectLanguage(path: string): CodeLanguage | undefined {
  if (/\s/.test(path)) return undefined
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return codeLanguage(file.slice(file.lastIndexOf('.') + 1))
}
