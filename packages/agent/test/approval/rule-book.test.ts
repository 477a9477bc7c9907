import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseRule, RuleBook, type RuleTexts, type Subject } from '@argot/agent/internal'
import { beforeAll, describe, expect, test } from 'vitest'
import { collectRules } from '../../src/settings/collect-rules.ts'

let root: string
let other: string

beforeAll(async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'argot-rules-')))
  root = join(base, 'project')
  other = join(base, 'other')
  for (const folder of ['docs/deep', 'src', 'secrets']) await mkdir(join(root, folder), { recursive: true })
  await mkdir(other)
  await writeFile(join(root, 'secrets/key'), 'x')
  await symlink('../secrets', join(root, 'docs/link'))
  await symlink('secrets/key', join(root, 'alias'))
})

const effects = { read_file: 'read', write_file: 'write', webpage_to_markdown: 'net', git: 'exec' } as const

/** What is decided about a call under `ask`, and by which rule. */
async function judge(texts: RuleTexts, toolName: string, subject?: Subject): Promise<string> {
  const { rules } = collectRules({ flag: texts })
  const book = new RuleBook({ policy: 'ask', rules, roots: [root, other] })
  const effect = effects[toolName as keyof typeof effects] ?? 'write'
  const { decision, rule } = await book.judge({ toolName, effect, subject })
  return rule === undefined ? decision : `${decision} by ${rule.text}`
}

const path = (...paths: string[]): Subject => ({ kind: 'path', paths })
const command = (...words: string[]): Subject => ({ kind: 'command', words })
const host = (...hosts: string[]): Subject => ({ kind: 'host', hosts })

describe('a rule on paths', () => {
  test.each([
    ['docs/a.md', 'run by write_file(docs/**)'],
    ['./docs//deep/a.md', 'run by write_file(docs/**)'],
    ['src/../docs/a.md', 'run by write_file(docs/**)'],
    ['docs/../src/a.ts', 'ask'],
    ['docs/link/key', 'ask'],
    ['docs', 'ask'],
    ['docs/.env', 'ask'],
    ['docsx/a.md', 'ask'],
    ['/docs/a.md', 'ask'],
    ['../project/docs/a.md', 'run by write_file(docs/**)'],
    ['docs/a\0.md', 'ask'],
    [`docs/${'x'.repeat(5000)}`, 'ask'],
  ])('that allows docs/** says of %j: %s', async (written, expected) => {
    expect(await judge({ allow: ['write_file(docs/**)'] }, 'write_file', path(written))).toBe(expected)
  })

  test.each([
    ['secrets/key', true],
    ['secrets/.hidden', true],
    ['secrets/new/deep', true],
    ['docs/link/key', true],
    ['alias', true],
    ['docs/../secrets/key', true],
    ['./secrets/./key', true],
    ['secrets', true],
    ['docs/a.md', false],
    ['secretsx', false],
    ['a\0b', true],
  ])('that denies secrets/** finds %j: %s', async (written, found) => {
    const said = await judge({ deny: ['read_file(secrets/**)'] }, 'read_file', path(written))
    expect(said).toBe(found ? 'refuse by read_file(secrets/**)' : 'run')
  })

  test('finds absolute paths as well, written in either way', async () => {
    const inside = join(root, 'secrets/key')
    expect(await judge({ deny: ['read_file(secrets/**)'] }, 'read_file', path(inside))).toMatch(/^refuse/)
    expect(await judge({ deny: [`read_file(${root}/secrets/**)`] }, 'read_file', path('secrets/key'))).toMatch(
      /^refuse/,
    )
    expect(await judge({ allow: ['write_file(docs/*)'] }, 'write_file', path(join(root, 'docs/a.md')))).toMatch(/^run/)
  })

  test('with `!` is for everything else, in doubt too', async () => {
    const deny = { deny: ['write_file(!src/**)'] }
    expect(await judge(deny, 'write_file', path('src/a.ts'))).toBe('ask')
    for (const written of ['a.ts', 'src/../a.ts', 'src', '/src/a.ts', 'src/.hidden', 'a\0b'])
      expect([written, await judge(deny, 'write_file', path(written))]).toEqual([
        written,
        'refuse by write_file(!src/**)',
      ])
    const allow = { allow: ['write_file(!secrets/**)'] }
    expect(await judge(allow, 'write_file', path('src/a.ts'))).toMatch(/^run/)
    for (const written of ['secrets/a', 'secrets/.a', 'docs/link/a', 'alias', 'a\0b'])
      expect([written, await judge(allow, 'write_file', path(written))]).toEqual([written, 'ask'])
  })

  test('denies a call with several paths for one of them, and allows it only for all', async () => {
    const texts = { deny: ['write_file(secrets/**)'], allow: ['write_file(docs/*)'] }
    expect(await judge(texts, 'write_file', path('docs/a', 'docs/b'))).toMatch(/^run/)
    expect(await judge(texts, 'write_file', path('docs/a', 'src/b'))).toBe('ask')
    expect(await judge(texts, 'write_file', path('docs/a', 'secrets/b'))).toMatch(/^refuse/)
    expect(await judge(texts, 'write_file', path())).toMatch(/^refuse/)
  })

  test('denies a search through a folder that holds what is denied', async () => {
    const tree = (folder: string): Subject => ({ kind: 'path', paths: [folder], tree: true })
    const deny = { deny: ['grep(secrets/**)'] }
    for (const folder of ['.', 'secrets', 'docs/..', root])
      expect(await judge(deny, 'grep', tree(folder))).toMatch(/^refuse/)
    expect(await judge(deny, 'grep', tree('docs/deep'))).toBe('ask')
    expect(await judge({ allow: ['grep(docs/**)'] }, 'grep', tree('docs/deep'))).toMatch(/^run/)
    expect(await judge({ allow: ['grep(docs/*)'] }, 'grep', tree('docs/deep'))).toBe('ask')
  })
})

describe('a rule on command lines', () => {
  test.each([
    ['git(status*)', ['git', 'status'], true],
    ['git(status*)', ['git', 'status', '-s'], false],
    ['git(status **)', ['git', 'status', '-s', '--', 'a b'], true],
    ['git(status **)', ['git', 'stash'], false],
    ['git(log *)', ['git', 'log', 'main'], true],
    ['git(log *)', ['git', 'log', 'src/a.ts'], true],
    ['git(log *)', ['git', 'log', '--output=/tmp/x'], false],
    ['git(log -*)', ['git', 'log', '--oneline'], true],
    ['git(log *)', ['git', 'log', 'a; rm -rf .'], false],
    ['git(log *)', ['git', 'log', '$(rm)'], false],
    ['git(log *)', ['git', 'log', 'a\nb'], false],
    ['git(log * b)', ['git', 'log', 'a b'], false],
    ['git(a\\ b)', ['git', 'a b'], true],
    ['git(a\\ b)', ['git', 'a', 'b'], false],
    ['git()', ['git'], true],
    ['git()', ['git', 'push'], false],
    ['git', ['git', 'push', '--force'], true],
    ['git(status)', ['./git', 'status'], false],
    ['git(status)', ['/tmp/git', 'status'], false],
    ['/usr/bin/git(status)', ['/usr/bin/git', 'status'], true],
    ['git(\\$HOME)', ['git', '$HOME'], true],
  ])('that allows %s says of %j: %s', async (rule, words, allowed) => {
    // The document calls the tool what it likes: only the program counts.
    for (const name of ['git', 'anything']) {
      const said = await judge({ allow: [rule] }, name, command(...words))
      expect(said).toBe(allowed ? `run by ${rule}` : 'ask')
    }
  })

  test('does not allow another program that a document calls so', async () => {
    expect(await judge({ allow: ['git(**)', 'git'] }, 'git', command('sh', '-c', 'x'))).toBe('ask')
  })

  test('denies by the name of the tool, of the program and of its file, and what a shell would act on', async () => {
    const deny = { deny: ['git(push **)', 'rm(*)'] }
    for (const words of [
      ['git', 'push'],
      ['/usr/bin/git', 'push', 'x'],
      ['./git', 'push'],
      ['hub', 'push'],
    ])
      expect([words, await judge(deny, 'git', command(...words))]).toEqual([words, 'refuse by git(push **)'])
    for (const word of ['a', '-rf', '/etc/passwd', 'a b; c', '.hidden'])
      expect([word, await judge(deny, 'clean', command('rm', word))]).toEqual([word, 'refuse by rm(*)'])
  })
})

describe('a rule on hosts', () => {
  test.each([
    ['www.example.org', true],
    ['a.b.example.org', true],
    ['EXAMPLE.org', false],
    ['example.org.evil.com', false],
    ['evilexample.org', false],
  ])('that allows *.example.org says of %s: %s', async (name, allowed) => {
    const rule = 'webpage_to_markdown(*.example.org)'
    expect(await judge({ allow: [rule] }, 'webpage_to_markdown', host(name))).toBe(allowed ? `run by ${rule}` : 'ask')
  })

  test('is for an address that is none when it denies, and not when it allows', async () => {
    const [allow, deny] = [['webpage_to_markdown(*)'], ['webpage_to_markdown(*.example.org)']]
    expect(await judge({ allow }, 'webpage_to_markdown', host())).toBe('ask')
    expect(await judge({ deny }, 'webpage_to_markdown', host())).toMatch(/^refuse/)
  })
})

describe('a page that leads to another host', () => {
  const lead = (texts: RuleTexts, to: string) => {
    const book = new RuleBook({ policy: 'ask', ...collectRules({ flag: texts }) })
    return book.objectToRedirect('webpage_to_markdown', new URL('https://www.example.org/go'), new URL(to))
  }
  const allow = ['webpage_to_markdown(*.example.org)']

  test('is not followed where a rule allowed only the first host', async () => {
    expect(await lead({ allow }, 'https://evil.com/?data')).toMatch(/redirects to `https:\/\/evil.com.*no rule allows/)
    expect(await lead({ allow }, 'https://docs.example.org/')).toBeUndefined()
  })

  test('is not followed to a host that is denied, and followed where a person said yes to the first', async () => {
    expect(await lead({ deny: ['webpage_to_markdown(evil.com)'] }, 'https://EVIL.com./')).toMatch(/deny webpage_to/)
    expect(await lead({}, 'https://evil.com/')).toBeUndefined()
  })
})

describe('the order', () => {
  test('is deny, what the policy refuses, ask, allow, policy', async () => {
    const texts = { allow: ['write_file'], ask: ['write_file(src/**)'], deny: ['write_file(src/ci/**)'] }
    expect(await judge(texts, 'write_file', path('src/ci/x'))).toBe('refuse by write_file(src/ci/**)')
    expect(await judge(texts, 'write_file', path('src/x'))).toBe('ask by write_file(src/**)')
    expect(await judge(texts, 'write_file', path('x'))).toBe('run by write_file')
    expect(await judge({ ask: ['read_file(secrets/**)'] }, 'read_file', path('secrets/key'))).toMatch(/^ask/)
    const { rules } = collectRules({ flag: { allow: ['write_file'] } })
    const book = new RuleBook({ policy: 'readonly', rules, roots: [root] })
    expect(await book.judge({ toolName: 'write_file', effect: 'write' })).toEqual({ decision: 'refuse' })
  })

  test('puts what a project asks before what the user allows', async () => {
    const { rules } = collectRules({ flag: { allow: ['write_file'] } })
    const call = { toolName: 'write_file', effect: 'write', subject: path('a') } as const
    const book = new RuleBook({
      policy: 'ask',
      projects: [{ value: { write_file: 'ask' }, from: 'a' }],
      rules,
      roots: [root],
    })
    expect(await book.judge(call)).toEqual({ decision: 'ask' })
    const silent = new RuleBook({
      policy: 'ask',
      projects: [{ value: { rg: 'none' }, from: 'a' }],
      rules,
      roots: [root],
    })
    expect(await silent.judge(call)).toMatchObject({ decision: 'run' })
  })
})

describe('a tool that does not say what it is about', () => {
  test('is denied by a rule on its argument, and not allowed by one', async () => {
    expect(await judge({ deny: ['own(x)'] }, 'own')).toMatch(/^refuse/)
    expect(await judge({ allow: ['own(x)'] }, 'own')).toBe('ask')
    expect(await judge({ allow: ['own'] }, 'own')).toBe('run by own')
  })

  test('is not meant by a rule for any tool with an argument', async () => {
    expect(await judge({ deny: ['*(secrets/**)'] }, 'own')).toBe('ask')
    expect(await judge({ deny: ['*(secrets/**)'] }, 'other', path('alias'))).toMatch(/^refuse/)
    expect(await judge({ deny: ['*'] }, 'own')).toBe('refuse by *')
  })
})

describe('the rule that "always" adds', () => {
  test.each<[Subject | undefined, string | undefined]>([
    [undefined, 'tool'],
    [path('docs/../src/a.ts'), 'tool(src/*)'],
    [path('a*/b/c.ts'), 'tool(a\\*/b/*)'],
    [path('a.ts'), 'tool(*)'],
    [path('src/.env*'), 'tool(src/.env\\*)'],
    [path('/etc/x*'), 'tool(/etc/x\\*)'],
    [path('.'), 'tool(.)'],
    [{ kind: 'path', paths: ['docs'], tree: true }, 'tool(docs/**)'],
    [path('a', 'b'), undefined],
    [path('a\0'), undefined],
    [command('git', 'commit', '-m', 'two words (x)!'), 'git(commit -m two\\ words\\ (x)\\!)'],
    [command('date'), 'date()'],
    [command('git', 'a\x1b[2Jb'), undefined],
    [host('www.example.org'), 'tool(www.example.org)'],
  ])('for %j is %j, and allows that call', async (subject, text) => {
    const book = new RuleBook({ policy: 'ask', roots: [root] })
    const call = { toolName: 'tool', effect: 'write', subject } as const
    expect(await book.ruleToAllow(call)).toBe(text)
    if (text === undefined) return
    book.allow(text)
    expect(await book.judge(call)).toMatchObject({ decision: 'run', rule: { text } })
  })

  test('allows nothing else, and lifts no denial', async () => {
    const { rules } = collectRules({ flag: { deny: ['write_file(src/ci/**)'], ask: ['write_file(src/**)'] } })
    const book = new RuleBook({ policy: 'ask', rules, roots: [root] })
    book.allow('write_file(src/a.ts)')
    book.allow('write_file(src/ci/a)')
    const at = (written: string) => book.judge({ toolName: 'write_file', effect: 'write', subject: path(written) })
    expect(await at('src/a.ts')).toMatchObject({ decision: 'run' })
    expect(await at('src/b.ts')).toMatchObject({ decision: 'ask' })
    expect(await at('src/ci/a')).toMatchObject({ decision: 'refuse' })
  })
})

test.each([
  ['', /is not a rule/],
  ['read_file(docs', /is not a rule/],
  ['read file(x)', /is not a rule/],
  ['read_*(x)', /can't contain wildcards/],
  ['*', /only `deny` and `ask`/],
  ['read_file( x)', /spaces around/],
  ['read_file(../x)', /can't contain `\.\.`/],
  ['read_file(~/.ssh/**)', /not expanded/],
  [`read_file(${'x'.repeat(600)})`, /more than 500/],
  ['read_file(\u202ex)', /invisible character/],
])('%j is not a rule, and says why', (text, why) => {
  expect(() => parseRule('allow', text, '`--allow`')).toThrow(why)
})

test('a hostile pattern takes little work', async () => {
  const pattern = '**/*a*'.repeat(80)
  const started = process.cpuUsage()
  await judge({ deny: [`read_file(${pattern})`] }, 'read_file', path('a/'.repeat(2000)))
  await judge(
    { deny: [`git(${'** '.repeat(160)}x)`] },
    'git',
    command('git', ...Array.from({ length: 5000 }, () => 'a')),
  )
  // The work of this process, whatever else the machine does.
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1000).toBeLessThan(5000)
})

describe('a tool under another name', () => {
  const about = async (texts: RuleTexts, policy: ConstructorParameters<typeof RuleBook>[0]['policy'] = 'ask') => {
    const { rules } = collectRules({ flag: texts })
    const book = new RuleBook({ policy, rules, roots: [root] })
    const call = {
      toolName: 'get_contents',
      aliasOf: 'read_file',
      effect: 'read',
      subject: path('secrets/key'),
    } as const
    const { decision, rule } = await book.judge(call)
    return rule === undefined ? decision : `${decision} by ${rule.text}`
  }

  test('is bound by what is said about either name', async () => {
    expect(await about({ deny: ['read_file(secrets/**)'] })).toBe('refuse by read_file(secrets/**)')
    expect(await about({ deny: ['get_contents(secrets/**)'] })).toBe('refuse by get_contents(secrets/**)')
    expect(await about({ ask: ['read_file'] })).toBe('ask by read_file')
    expect(await about({}, { read_file: 'none' })).toBe('refuse')
    expect(await about({}, { read_file: 'all', get_contents: 'none' })).toBe('refuse')
    expect(await about({}, { default: 'none', read_file: 'all' })).toBe('run')
    expect(await about({})).toBe('run')
  })

  test('is allowed under its first name', async () => {
    const book = new RuleBook({ policy: 'none', roots: [root] })
    const call = { toolName: 'get_contents', aliasOf: 'read_file', effect: 'read', subject: path('docs/a') } as const
    expect(await book.ruleToAllow(call)).toBe('read_file(docs/a)')
  })
})
