import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { argot, folderWith } from './argot.ts'
import { inProcess } from './in-process.ts'

const good = '<config model="demo"/>\n\n<user>\nHello.\n</user>\n'

describe('argot check', () => {
  test('says nothing is wrong with a good document', async () => {
    const folder = await folderWith({ 'a.chatmd': good })
    expect(await argot(['check', 'a.chatmd'], { cwd: folder })).toEqual({
      status: 0,
      stdout: '',
      stderr: 'a.chatmd: nothing to fix.\n',
    })
  })

  test('shows line, column, a picture of the line and the cure', async () => {
    const folder = await folderWith({ 'a.chatmd': `${good}\nHello\n` })
    const { status, stderr } = await argot(['check', 'a.chatmd'], { cwd: folder })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^a\.chatmd:7:1 error CHATMD_TEXT_AT_TOP/)
    expect(stderr).toMatch(/7 \| Hello\n {2}\| \^\^\^\^\^/)
  })

  test('finds files that are missing, in imports too, and paths that lead outside', async () => {
    const folder = await folderWith({
      'a.chatmd':
        '<user>\n<doc src="gone.md" local/>\n<import src="part.md"/>\n<doc src="/etc/hostname" local/>\n</user>\n',
      'part.md': 'text <doc src="gone-too.md" local/>\n',
    })
    const { stderr } = await argot(['check', 'a.chatmd'], { cwd: folder })
    expect(stderr).toContain('gone.md')
    expect(stderr).toContain('gone-too.md')
    expect(stderr).toContain('CHATMD_PATH_OUTSIDE')
  })

  test('fetches nothing, and says of a private address that a run would refuse it', async () => {
    const folder = await folderWith({ 'a.chatmd': '<user><doc src="http://127.0.0.1:9/x"/></user>\n' })
    expect(await argot(['check', '--allow-private', 'a.chatmd'], { cwd: folder })).toMatchObject({ status: 0 })
    const { status, stderr } = await argot(['check', 'a.chatmd'], { cwd: folder })
    expect([status, stderr]).toEqual([1, expect.stringContaining('a.chatmd:1:7 error CHATMD_PRIVATE_ADDRESS')])
  })

  test('says what a run refuses, and the run says it with the same picture', async () => {
    const source = '<config model="demo"/>\n<tool name="read_fle"/>\n\n<user>\nGo.\n</user>\n'
    const folder = await folderWith({ 'a.chatmd': source })
    const picture = `a.chatmd:2:1 error TOOL_UNKNOWN: The document declares the tool \`read_fle\`, but no such tool exists.
  |
2 | <tool name="read_fle"/>
  | ^^^^^^^^^^^^^^^^^^^^^^^
  = Did you mean \`read_file\`?`
    const checked = await argot(['check', 'a.chatmd'], { cwd: folder })
    expect([checked.status, checked.stderr]).toEqual([1, expect.stringContaining(picture)])
    const ran = await argot(['run', 'a.chatmd'], { cwd: folder })
    expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining(picture)])
    expect(ran.stderr).toContain('(TOOL_UNKNOWN)')
    expect(await readFile(join(folder, 'a.chatmd'), 'utf8')).toBe(source)
  })

  test('warns, and so does the run, which goes on; --quiet hides it and --json makes it data', async () => {
    const source = '<config model="demo" colour="red"/>\n\n<user>\nHello.\n</user>\n'
    const folder = await folderWith({ 'a.chatmd': source, 'b.chatmd': source, 'c.chatmd': source })
    const warning = 'a.chatmd:1:22 warning CHATMD_UNKNOWN_ATTRIBUTE'
    expect((await argot(['check', 'a.chatmd'], { cwd: folder })).stderr).toContain(warning)
    const ran = await argot(['run', 'a.chatmd'], { cwd: folder })
    expect([ran.status, ran.stderr]).toEqual([0, expect.stringContaining(warning)])
    expect((await argot(['run', '-q', 'b.chatmd'], { cwd: folder })).stderr).toBe('')
    const json = await argot(['run', '--json', 'c.chatmd'], { cwd: folder })
    const told = json.stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(told).toContainEqual({ diagnostic: expect.objectContaining({ code: 'CHATMD_UNKNOWN_ATTRIBUTE' }) })
  })

  test('shows the first 20 and counts the others', async () => {
    const folder = await folderWith({ 'a.chatmd': `${good}${'<config colour="red"/>'.repeat(500)}\n<user>\n` })
    const { status, stderr } = await argot(['check', 'a.chatmd'], { cwd: folder })
    expect(status).toBe(1)
    expect(stderr.match(/^a\.chatmd:\d+:\d+ /gm)).toHaveLength(20)
    expect(stderr).toContain('error CHATMD_UNCLOSED_ELEMENT')
    expect(stderr).toMatch(/… and 981 more\./)
  })

  test('says which tag was meant', async () => {
    const folder = await folderWith({ 'a.chatmd': '<confg model="demo"/>\n<usr>\nHi\n</usr>\n' })
    const { stderr } = await argot(['check', 'a.chatmd'], { cwd: folder })
    expect(stderr).toContain('Did you mean `<config>`?')
  })

  test('walks folders, and prints one JSON per diagnostic with --json', async () => {
    const folder = await folderWith({ 'a.chatmd': good, 'b.chatmd': 'text\n' })
    await mkdir(join(folder, 'deep'))
    await mkdir(join(folder, '.hidden'))
    await writeFile(join(folder, 'deep/c.chatmd'), '<user colour="red">x</user>\n')
    await writeFile(join(folder, '.hidden/d.chatmd'), 'text\n')
    const { status, stdout } = await argot(['check', '--json', '.'], { cwd: folder })
    expect(status).toBe(1)
    const found = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(found.map(({ file, code }) => [file, code])).toEqual([
      ['b.chatmd', 'CHATMD_TEXT_AT_TOP'],
      [join('deep', 'c.chatmd'), 'CHATMD_UNKNOWN_ATTRIBUTE'],
    ])
  })

  test('refuses a file that is not UTF-8, with the first bad byte', async () => {
    const folder = await folderWith({ 'a.chatmd': Uint8Array.of(60, 117, 0xff, 62) })
    const { status, stderr } = await argot(['check', 'a.chatmd'], { cwd: folder })
    expect(status).toBe(1)
    expect(stderr).toMatch(/offset 2/)
  })

  test('an empty folder is wrong usage', async () => {
    expect(await argot(['check', '.'], { cwd: await folderWith({}) })).toMatchObject({ status: 2 })
  })
})

describe('argot fmt', () => {
  const untidy = "<user   id='a'  >\nHi.\n</user   >\n"

  test('prints the canonical layout and leaves the file alone', async () => {
    const folder = await folderWith({ 'a.chatmd': untidy })
    const { status, stdout } = await argot(['fmt', 'a.chatmd'], { cwd: folder })
    expect(status).toBe(0)
    expect(stdout).toBe('<user id="a">\nHi.\n</user>\n')
    expect(await readFile(join(folder, 'a.chatmd'), 'utf8')).toBe(untidy)
  })

  test('--check lists what differs, --write repairs it, and then --check is content', async () => {
    const folder = await folderWith({ 'a.chatmd': untidy, 'b.chatmd': good })
    const before = await argot(['fmt', '--check', '.'], { cwd: folder })
    expect(before.status).toBe(1)
    expect(before.stderr).toMatch(/^a\.chatmd: layout differs/)
    expect(await argot(['fmt', '--write', '.'], { cwd: folder })).toMatchObject({ status: 0 })
    expect(await argot(['fmt', '--check', '.'], { cwd: folder })).toMatchObject({ status: 0, stderr: '' })
  })

  test('a document with errors is shown, not touched', async () => {
    const folder = await folderWith({ 'a.chatmd': '<user>\nHi.\n' })
    const { status, stderr } = await argot(['fmt', '--write', 'a.chatmd'], { cwd: folder })
    expect(status).toBe(1)
    expect(stderr).toContain('CHATMD_UNCLOSED_ELEMENT')
    expect(await readFile(join(folder, 'a.chatmd'), 'utf8')).toBe('<user>\nHi.\n')
  })

  const broken = `<config model="demo temperature="0.2"/>

<user>
See <doc src="a.md" local> and <b>this</b>.
</user>

<assistant message="m1" run="r1" offset="3">
Write <user> first.
</assistant>

<assistant message="m1" part="end" finish="stop" run="r1" offset="4"/>
`

  test('--repair repairs what a machine can, and says how much', async () => {
    const folder = await folderWith({ 'a.chatmd': broken })
    expect(await argot(['fmt', 'a.chatmd'], { cwd: folder })).toMatchObject({ status: 1, stdout: '' })
    const { status, stdout, stderr } = await argot(['fmt', '--repair', 'a.chatmd'], { cwd: folder })
    expect([status, stderr]).toEqual([0, 'a.chatmd: 3 places repaired\n'])
    expect(stdout).toContain('<config model="demo" temperature="0.2"/>')
    expect(stdout).toContain('<doc src="a.md" local/> and <b>this</b>.')
    expect(stdout).toContain('>\nRAW|\nWrite <user> first.\n|RAW\n</assistant>')
    await argot(['fmt', '--repair', '--write', 'a.chatmd'], { cwd: folder })
    expect(await argot(['fmt', '--check', 'a.chatmd'], { cwd: folder })).toMatchObject({ status: 0 })
  })

  test('--repair keeps what it repaired where something else has to be fixed by hand', async () => {
    const hopeless = '<config max_tokens="many"/>\n'
    const folder = await folderWith({ 'a.chatmd': hopeless + broken.replace(/<config[^\n]*\n/, '') })
    const printed = await inProcess(['fmt', '--repair', join(folder, 'a.chatmd')], { cwd: folder })
    expect(printed.status).toBe(1)
    expect(printed.stdout).toContain(hopeless)
    expect(printed.stdout).toContain('<doc src="a.md" local/> and <b>this</b>.')
    expect(printed.stderr).toMatch(/CHATMD_BAD_NUMBER[\s\S]*places? repaired; fix the problems listed above by hand\n$/)
    const checked = await inProcess(['fmt', '--repair', '--check', join(folder, 'a.chatmd')], { cwd: folder })
    expect([checked.status, checked.stdout]).toEqual([1, ''])
    expect(checked.stderr).toContain('can be repaired')
    const written = await inProcess(['fmt', '--repair', '--write', join(folder, 'a.chatmd')], { cwd: folder })
    expect([written.status, written.stdout]).toEqual([1, ''])
    expect(await readFile(join(folder, 'a.chatmd'), 'utf8')).toBe(printed.stdout)
  })

  test('--clean takes out the records of runs and keeps what was said', async () => {
    const folder = await folderWith({ 'a.chatmd': broken })
    const { stdout } = await argot(['fmt', '--repair', '--clean', 'a.chatmd'], { cwd: folder })
    expect(stdout.slice(stdout.indexOf('<assistant'))).toBe(
      '<assistant>\nRAW|\nWrite <user> first.\n|RAW\n</assistant>\n',
    )
  })

  test('several documents are not printed as one', async () => {
    const folder = await folderWith({ 'a.chatmd': untidy, 'b.chatmd': good })
    expect(await argot(['fmt', '.'], { cwd: folder })).toMatchObject({ status: 2 })
  })
})

describe('argot convert', () => {
  const transcript = `<user id="u1">
What is new?
</user>

<tool_call tool_call_id="c1" function_name="search">
RAW|
{"query":"news"}
|RAW
</tool_call>

<tool_response tool_call_id="c1">
RAW|
Nothing.
|RAW
</tool_response>

<assistant>
Nothing is new.
</assistant>
`

  test.each(['callout', 'ui-messages', 'jsonl', 'chatmd'])(
    'to %s and back keeps who said what, and every call',
    async to => {
      const folder = await folderWith({ 'a.chatmd': transcript })
      const there = await argot(['convert', 'a.chatmd', '--to', to, '-o', 'out.txt'], { cwd: folder })
      expect(there.status).toBe(0)
      const back = await argot(['convert', 'out.txt', '--from', to, '--to', 'ui-messages'], { cwd: folder })
      expect(back.status).toBe(0)
      const messages = JSON.parse(back.stdout)
      expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant'])
      const parts = messages[1].parts.filter(({ type }: { type: string }) => type !== 'step-start')
      expect(parts).toMatchObject([
        {
          type: 'tool-search',
          toolCallId: 'c1',
          state: 'output-available',
          input: { query: 'news' },
          output: 'Nothing.',
        },
        { type: 'text', text: 'Nothing is new.' },
      ])
    },
  )

  test('says what could not be carried, and fails for it with --strict', async () => {
    const folder = await folderWith({ 'a.chatmd': `<config model="demo"/>\n<tool name="read_file"/>\n${transcript}` })
    const { status, stderr, stdout } = await argot(['convert', 'a.chatmd', '--to', 'ui-messages'], { cwd: folder })
    expect(status).toBe(0)
    expect(stderr).toMatch(/can't carry:\n {2}- the `<config>`\n {2}- 1 `<tool>` declaration/)
    expect(JSON.parse(stdout)).toHaveLength(2)
    expect(await argot(['convert', 'a.chatmd', '--to', 'ui-messages', '--strict'], { cwd: folder })).toMatchObject({
      status: 1,
    })
  })

  test('reads the payloads beside a document, and writes them there', async () => {
    const folder = await folderWith({ 'a.chatmd': transcript })
    expect(
      await argot(['convert', 'a.chatmd', '--to', 'chatmd', '--payloads', 'external', '-o', 'b.chatmd'], {
        cwd: folder,
      }),
    ).toMatchObject({ status: 0 })
    expect(await readFile(join(folder, '.chatmd/0.tool-call.c1.json'), 'utf8')).toContain('news')
    const { stdout } = await argot(['convert', 'b.chatmd', '--to', 'ui-messages'], { cwd: folder })
    expect(JSON.parse(stdout)[1].parts[0]).toMatchObject({ input: { query: 'news' }, output: 'Nothing.' })
  })

  test('prints everything as JSON with --json', async () => {
    const folder = await folderWith({ 'a.chatmd': transcript })
    const { stdout } = await argot(['convert', 'a.chatmd', '--to', 'callout', '--json'], { cwd: folder })
    expect(JSON.parse(stdout)).toMatchObject({
      file: 'a.chatmd',
      from: 'chatmd',
      to: 'callout',
      diagnostics: [],
      losses: expect.any(Array),
    })
  })

  test('text that cannot be read is an error with a sentence', async () => {
    const folder = await folderWith({ 'a.json': '{' })
    const { status, stderr } = await argot(['convert', 'a.json', '--to', 'chatmd'], { cwd: folder })
    expect(status).toBe(1)
    expect(stderr).toContain('not JSON')
  })

  test('several transcripts need a folder', async () => {
    const folder = await folderWith({ 'a.chatmd': transcript, 'b.chatmd': transcript })
    expect(await argot(['convert', 'a.chatmd', 'b.chatmd', '--to', 'jsonl'], { cwd: folder })).toMatchObject({
      status: 2,
    })
    expect(
      await argot(['convert', 'a.chatmd', 'b.chatmd', '--to', 'jsonl', '-o', 'out'], { cwd: folder }),
    ).toMatchObject({ status: 0 })
    expect(await readFile(join(folder, 'out/b.jsonl'), 'utf8')).toContain('tool-input-available')
    expect(await argot(['convert', '.', '--to', 'ui-messages', '-o', 'all'], { cwd: folder })).toMatchObject({
      status: 0,
    })
    expect(JSON.parse(await readFile(join(folder, 'all/a.json'), 'utf8'))).toHaveLength(2)
  })
})

describe('argot branch', () => {
  const talk =
    '<config model="demo"/>\n\n<user id="u1">\nOne.\n</user>\n\n<assistant message="m1">\nFirst.\n</assistant>\n\n<user id="u2">\nTwo.\n</user>\n'

  test('writes the history before a message, or up to it, as a new document', async () => {
    const folder = await folderWith({ 'a.chatmd': talk })
    const before = await argot(['branch', 'a.chatmd', '--at', 'm1'], { cwd: folder })
    expect(before).toMatchObject({ status: 0, stdout: expect.stringMatching(/a\.1\.chatmd\n$/) })
    const text = await readFile(join(folder, 'a.1.chatmd'), 'utf8')
    expect(text).toContain('One.')
    expect(text).not.toContain('First.')
    await argot(['branch', 'a.chatmd', '--at', 'm1', '--including'], { cwd: folder })
    expect(await readFile(join(folder, 'a.2.chatmd'), 'utf8')).toMatch(/First\.\n<\/assistant>\n$/)
    expect(await readFile(join(folder, 'a.chatmd'), 'utf8')).toBe(talk)
  })

  test('says when no message has the id', async () => {
    const folder = await folderWith({ 'a.chatmd': talk })
    const { status, stderr } = await argot(['branch', 'a.chatmd', '--at', 'm9'], { cwd: folder })
    expect([status, stderr]).toEqual([1, expect.stringContaining('RUN_MESSAGE_NOT_FOUND')])
  })
})

test('argot convert says that the answer of an agent is not there', async () => {
  const folder = await folderWith({
    'a.chatmd': '<user>\n<agent src="b.chatmd" local>Hi</agent>\n</user>\n',
    'b.chatmd': '<system>\nBe brief.\n</system>\n',
  })
  const { stderr } = await argot(['convert', 'a.chatmd', '--to', 'callout'], { cwd: folder })
  expect(stderr).toContain("conversion doesn't run agents")
})
