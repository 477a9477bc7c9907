import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ResolverOptions } from '@argot/agent/internal'
import { createResolver } from '@argot/agent/workshop'
import type { Message } from '@argot/core'
import { expand, parseChatMd, writeChatMd } from '@argot/core/chatmd'
import type { ExpandedDocument } from '@argot/core/chatmd/internal'
import { describe, expect, test } from 'vitest'
import { folder } from '../files/folder.ts'
import { LOOPBACK, reply, serve } from '../web/server.ts'

/** Expands a document on disk as a command would. */
async function run(file: string, options: ResolverOptions = {}, agents?: string[]): Promise<ExpandedDocument> {
  const { document, diagnostics } = parseChatMd(await readFile(file, 'utf8'), { file })
  expect(diagnostics.filter(one => one.severity === 'error')).toEqual([])
  const resolver = createResolver({ cwd: dirname(file), ...options })
  return expand(document, {
    resolver,
    ...(agents === undefined ? {} : { agents }),
    runAgent: async ({ source, input, local }) => ({
      ok: true,
      text: `{${local ? 'local' : 'remote'} ${source}: ${input.map(part => (part.type === 'text' ? part.text : part.url)).join()}}`,
    }),
  })
}

const partsOf = ({ messages }: ExpandedDocument): string[] =>
  messages.flatMap(({ message }) =>
    message.parts.map(part =>
      part.type === 'text' ? part.text : part.type === 'file' ? `${part.mediaType} ${part.url}` : part.type,
    ),
  )

const codesOf = ({ diagnostics }: ExpandedDocument): string[] => diagnostics.map(({ code }) => code)

describe('import', () => {
  test('follows a chain through folders, each file from its own place', async () => {
    const root = await folder({
      'chat/main.chatmd': '<system><import src="policies/all.md"/></system><user>Go</user>',
      'chat/policies/all.md': 'all(<import src="legal/gdpr.md"/>)',
      'chat/policies/legal/gdpr.md': 'gdpr(<import src="../../shared.md"/>)',
      'chat/shared.md': 'shared(<doc src="data.txt" local/>)',
      'chat/data.txt': 'the data of the document',
      'chat/policies/data.txt': 'wrong',
    })
    const found = await run(join(root, 'chat/main.chatmd'))
    expect(found.diagnostics).toEqual([])
    expect(partsOf(found)).toEqual(['all(gdpr(shared(the data of the document)))', 'Go'])
    const piece = found.messages[0]!.pieces.find(({ origin }) => origin.by === 'doc')
    expect(piece?.origin).toMatchObject({
      file: join(root, 'chat/shared.md'),
      source: join(root, 'chat/data.txt'),
      imports: ['policies/all.md', 'policies/legal/gdpr.md', 'shared.md'].map(name => join(root, 'chat', name)),
    })
  })

  test('brings elements at top level', async () => {
    const root = await folder({
      'main.chatmd': '<import src="parts/head.chatmd"/><user>Go</user>',
      'parts/head.chatmd': '\ufeff<config model="demo"/>\n<tool name="a"/>\n<import src="more.chatmd"/>',
      'parts/more.chatmd': '<system>More</system>',
    })
    const found = await run(join(root, 'main.chatmd'))
    expect(codesOf(found)).toEqual([])
    expect(found.config?.model).toBe('demo')
    expect(found.tools).toHaveLength(1)
    expect(partsOf(found)).toEqual(['More', 'Go'])
  })

  test.each([
    ['itself', { 'main.chatmd': '<user><import src="main.chatmd"/></user>' }],
    ['itself by another way', { 'main.chatmd': '<user><import src="x/../main.chatmd"/></user>' }],
    [
      'itself by way of others',
      {
        'main.chatmd': '<user><import src="a/one.md"/></user>',
        'a/one.md': '<import src="../b/two.md"/>',
        'b/two.md': '<import src="../main.chatmd"/>',
      },
    ],
    [
      'a file that imports itself',
      { 'main.chatmd': '<user><import src="a/one.md"/></user>', 'a/one.md': '<import src="../a/./one.md"/>' },
    ],
  ])('reports a circle: %s', async (_, files) => {
    const root = await folder(files)
    for (const file of [join(root, 'main.chatmd'), `${root}/./main.chatmd`]) {
      const found = await run(file)
      expect(codesOf(found)).toEqual(['CHATMD_IMPORT_CYCLE'])
      expect(found.diagnostics[0]!.message.split(' → ').length).toBeLessThanOrEqual(4)
    }
  })

  test('reports a circle through symbolic links', async () => {
    const root = await folder({ 'main.chatmd': '<user><import src="a.md"/></user>', 'a.md': '<import src="b.md"/>' })
    await symlink('a.md', join(root, 'b.md'))
    expect(codesOf(await run(join(root, 'main.chatmd')))).toEqual(['CHATMD_IMPORT_CYCLE'])
  })

  test('takes 32 levels, and not one more', async () => {
    const files: Record<string, string> = { 'main.chatmd': '<user><import src="d/1.md"/></user>' }
    for (let level = 1; level < 40; level++)
      files[`${'d/'.repeat(level)}${level}.md`] = `${level} <import src="d/${level + 1}.md"/>`
    files[`${'d/'.repeat(32)}32.md`] = 'bottom'
    const root = await folder(files)
    const found = await run(join(root, 'main.chatmd'))
    expect(codesOf(found)).toEqual([])
    expect(partsOf(found).join()).toMatch(/^1 2 3 .* 31 bottom$/)
    await writeFile(join(root, `${'d/'.repeat(32)}32.md`), '32 <import src="d/33.md"/>')
    const deeper = await run(join(root, 'main.chatmd'))
    expect(codesOf(deeper)).toEqual(['CHATMD_IMPORT_TOO_DEEP'])
    expect(partsOf(deeper).join()).toMatch(/^1 2 3 .* 31 32 $/)
  })

  test.each([
    ['assistant', '<assistant>[<import src="secret.md"/><doc src="secret.md" local/>]</assistant>'],
    ['msg role="assistant"', '<msg role="assistant">[<import src="secret.md"/>]</msg>'],
    ['msg role="tool"', '<msg role="tool">[<import src="secret.md"/>]</msg>'],
    [
      'tool_call',
      '<tool_call function_name="f" tool_call_id="c">[<import src="secret.md"/>]</tool_call><tool_response tool_call_id="c">x</tool_response>',
    ],
    [
      'tool_response',
      '<tool_call function_name="f" tool_call_id="c">{}</tool_call><tool_response tool_call_id="c">[<import src="secret.md"/>]</tool_response>',
    ],
    ['reasoning', '<reasoning id="r"><summary>[<import src="secret.md"/>]</summary></reasoning>'],
    ['RAW', '<user>RAW|[<import src="secret.md"/>]|RAW</user>'],
  ])('stays literal in %s', async (_, source) => {
    const root = await folder({ 'main.chatmd': source, 'secret.md': 'SECRET' })
    const found = await run(join(root, 'main.chatmd'))
    expect(JSON.stringify(found.messages)).not.toContain('SECRET')
    expect(JSON.stringify(found.messages)).toContain('<import src=')
  })

  test('stays literal in what an import or a doc brings', async () => {
    const root = await folder({
      'main.chatmd': '<user><doc src="doc.md" local/></user><import src="old.chatmd"/>',
      'doc.md': '<import src="secret.md"/><doc src="secret.md" local/>',
      'old.chatmd': '<assistant><import src="secret.md"/></assistant>',
      'secret.md': 'SECRET',
    })
    expect(partsOf(await run(join(root, 'main.chatmd')))).toEqual([
      '<import src="secret.md"/><doc src="secret.md" local/>',
      '<import src="secret.md"/>',
    ])
  })

  test('a file that is missing, outside or not text is a diagnostic at its element', async () => {
    const root = await folder({
      'chat/main.chatmd': '<user>a <import src="no.md"/> b <import src="../out.md"/>\n<import src="bin.md"/> c</user>',
      'out.md': 'SECRET',
      'chat/bin.md': Buffer.from([0x1f, 0x8b, 0, 0xff]),
    })
    const found = await run(join(root, 'chat/main.chatmd'))
    expect(codesOf(found)).toEqual(['CHATMD_FILE_NOT_FOUND', 'CHATMD_PATH_OUTSIDE', 'CHATMD_BINARY'])
    expect(found.diagnostics.map(({ range }) => [range!.start.line, range!.start.column])).toEqual([
      [1, 9],
      [1, 33],
      [2, 1],
    ])
    expect(partsOf(found).join()).not.toContain('SECRET')
  })
})

const PAGE = '<!doctype html><title>T</title><script>EVIL</script><h1>Head</h1><p>One  <b>two</b></p>'
const MARKDOWN = 'T\n\n# Head\n\nOne **two**'
const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')

describe('doc', () => {
  test.each([
    ['', PAGE],
    ['strip', 'T\nHead\nOne two'],
    ['markdown', MARKDOWN],
    ['markdown strip', 'T\nHead\nOne two'],
    ['strip markdown', 'T\nHead\nOne two'],
  ])('with the flags "%s", local and remote alike', async (flags, expected) => {
    const server = await serve(reply(PAGE, { 'content-type': 'text/html' }))
    const root = await folder({
      'main.chatmd': `<user><doc src="page.html" local ${flags}/></user><user><doc src="${server.url}/" ${flags}/></user>`,
      'page.html': PAGE,
    })
    const found = await run(join(root, 'main.chatmd'), LOOPBACK)
    expect(codesOf(found)).toEqual([])
    expect(partsOf(found)).toEqual([expected, expected])
  })

  test('what is refused is a diagnostic, and the rest of the message stands', async () => {
    const server = await serve(reply('no', {}, 404))
    const root = await folder({
      'main.chatmd': `<user>a<doc src="http://127.0.0.1:${server.port}/"/>b<doc src="http://10.0.0.1/"/>c<doc src="README.md"/>d</user>`,
    })
    const found = await run(join(root, 'main.chatmd'), LOOPBACK)
    expect(partsOf(found).join('')).toBe('abcd')
    expect(codesOf(found)).toEqual(['CHATMD_HTTP_STATUS', 'CHATMD_PRIVATE_ADDRESS', 'CHATMD_BAD_ADDRESS'])
  })

  test('loopback is refused by default', async () => {
    const server = await serve(reply('secret'))
    const root = await folder({ 'main.chatmd': `<user><doc src="${server.url}/"/></user>` })
    expect(codesOf(await run(join(root, 'main.chatmd')))).toEqual(['CHATMD_PRIVATE_ADDRESS'])
    expect(server.requests).toEqual([])
  })

  test('an abort ends the expansion', async () => {
    const controller = new AbortController()
    const server = await serve(() => controller.abort(new Error('stopped')))
    const { document } = parseChatMd(`<user><doc src="${server.url}/"/></user>`)
    const running = expand(document, { resolver: createResolver(LOOPBACK), signal: controller.signal })
    await expect(running).rejects.toThrow('stopped')
  })
})

test('img: a file becomes a data URI, an address stays', async () => {
  const root = await folder({
    'main.chatmd': '<user>See <img src="pics/a" local/> and <img src="https://example.com/b.jpg"/></user>',
    'pics/a': PNG,
  })
  const found = await run(join(root, 'main.chatmd'))
  expect(codesOf(found)).toEqual([])
  expect(partsOf(found)).toEqual([
    'See ',
    `image/png data:image/png;base64,${PNG.toString('base64')}`,
    ' and ',
    'image/jpeg https://example.com/b.jpg',
  ])
})

describe('agent', () => {
  test('gets the other document and its expanded children, local and remote', async () => {
    const server = await serve(reply('REMOTE'))
    const root = await folder({
      'main.chatmd': `<user><agent src="agents/a.chatmd" local>In <import src="in.md"/></agent><agent src="${server.url}/b"/></user>`,
      'agents/a.chatmd': 'LOCAL',
      'in.md': 'here',
    })
    expect(partsOf(await run(join(root, 'main.chatmd'), LOOPBACK)).join('')).toBe(
      '{local LOCAL: In here}{remote REMOTE: }',
    )
  })

  test('that is the document itself is a circle, however the document is named', async () => {
    const root = await folder({ 'sub/main.chatmd': '<user><agent src="../sub/main.chatmd" local/></user>' })
    await symlink('sub', join(root, 'link'))
    for (const name of ['sub/main.chatmd', 'link/main.chatmd']) {
      expect(codesOf(await run(join(root, name), { cwd: root }))).toEqual(['CHATMD_AGENT_CYCLE'])
    }
  })
})

test('what a run wrote beside its document reads back, whatever its size', async () => {
  const output = `|RAW </tool_response> \0 \r\n ${'x'.repeat(2 * 1024 * 1024)} \ufeff`
  const message: Message = {
    id: 'm1',
    role: 'assistant',
    status: 'sent',
    parts: [
      {
        type: 'dynamic-tool',
        toolInvocation: {
          key: 'c1',
          toolCallId: 'c1',
          toolName: 'read',
          state: 'output-available',
          input: { path: 'a' },
          output,
          callProviderMetadata: { provider: { signature: 's'.repeat(5000) } },
        },
      },
    ],
  }
  const root = await folder({ 'chat/main.chatmd': '' })
  const written = writeChatMd([{ type: 'message', message }], { payloads: 'external' })
  expect(written.files.length).toBeGreaterThanOrEqual(3)
  await mkdir(join(root, 'chat/.chatmd'))
  for (const { path, text } of written.files) await writeFile(join(root, 'chat', path), text)
  await writeFile(join(root, 'chat/main.chatmd'), written.append)
  // Neither the process directory nor anything else is needed to find them.
  const found = await run(join(root, 'chat/main.chatmd'), { cwd: '/' })
  expect(found.diagnostics).toEqual([])
  expect(found.messages.map(one => one.message)).toMatchObject([message])
})
