import { expand, parseChatMd, type ResolveRequest, type Resolver } from '@argot/core/chatmd'
import type { AgentRequest, ExpandedDocument, ExpandOptions } from '@argot/core/chatmd/internal'
import { describe, expect, test } from 'vitest'

/** A resolver over texts by name; paths are joined as in a folder. */
function over(files: Record<string, string>, asked: ResolveRequest[] = []): Resolver {
  return {
    async resolve(request) {
      asked.push(request)
      const { src, from, kind } = request
      const file = new URL(src, `file:///${from ?? ''}`).pathname.slice(1)
      if (kind === 'img') return { ok: true, url: `data:image/png;base64,${file}`, mediaType: 'image/png', file }
      const text = Object.hasOwn(files, file) ? files[file] : undefined
      if (text === undefined)
        return { ok: false, problem: { code: 'CHATMD_NOT_RESOLVED', message: `${file} is missing.` } }
      return { ok: true, text, file }
    },
  }
}

function run(
  source: string,
  files: Record<string, string> = {},
  options: Partial<ExpandOptions> = {},
): Promise<ExpandedDocument> {
  return expand(parseChatMd(source, { file: 'main.chatmd' }).document, { resolver: over(files), ...options })
}

function textOf({ messages }: ExpandedDocument): string {
  return messages
    .flatMap(({ message }) => message.parts)
    .map(part => (part.type === 'text' ? part.text : part.type === 'file' ? `{${part.url}}` : ''))
    .join('|')
}

const codesOf = ({ diagnostics }: ExpandedDocument): string[] => diagnostics.map(one => `${one.file}: ${one.code}`)

describe('import', () => {
  test.each([['user'], ['system'], ['developer']])('expands in %s', async role => {
    expect(textOf(await run(`<${role}>[<import src="a.md"/>]</${role}>`, { 'a.md': 'A\n' }))).toBe('[A\n]')
  })
  test.each([['user'], ['system'], ['developer']])('expands in msg role=%s', async role => {
    expect(textOf(await run(`<msg role="${role}"><import src="a.md"/></msg>`, { 'a.md': 'A' }))).toBe('A')
  })
  test.each([
    ['assistant', '<assistant><import src="a.md"/></assistant>'],
    ['msg role=assistant', '<msg role="assistant"><import src="a.md"/></msg>'],
    ['msg role=tool', '<msg role="tool"><import src="a.md"/></msg>'],
  ])('stays literal in %s', async (_, source) => {
    const asked: ResolveRequest[] = []
    expect(textOf(await run(source, {}, { resolver: over({}, asked) }))).toBe('<import src="a.md"/>')
    expect(asked).toEqual([])
  })
  test('stays literal in tool elements and reasoning', async () => {
    const source =
      '<reasoning id="r"><summary><import src="a"/></summary></reasoning><tool_call type="custom_tool_call" function_name="f" tool_call_id="c"><import src="a"/></tool_call><tool_response tool_call_id="c"><import src="a"/></tool_response>'
    const { messages, diagnostics } = await run(source)
    expect(messages[0]!.message.parts).toMatchObject([
      { text: '<import src="a"/>' },
      { toolInvocation: { input: '<import src="a"/>', output: '<import src="a"/>' } },
    ])
    expect(diagnostics).toEqual([])
  })
  test('expands inside an agent', async () => {
    const given: AgentRequest[] = []
    await run(
      '<user><agent src="b"><import src="a.md"/></agent></user>',
      { 'a.md': 'A', b: '' },
      {
        runAgent: async request => {
          given.push(request)
          return { ok: true, text: '' }
        },
      },
    )
    expect(given[0]!.input).toEqual([{ type: 'text', text: 'A' }])
  })
  test('is resolved against the file that imports', async () => {
    const files = { 'x/a.md': '<import src="y/b.md"/>', 'x/y/b.md': '<import src="../../c.md"/>', 'c.md': 'C' }
    const expanded = await run('<user><import src="x/a.md"/></user>', files)
    expect(textOf(expanded)).toBe('C')
    expect(expanded.messages[0]!.pieces[0]!.origin).toMatchObject({
      file: 'c.md',
      imports: ['x/a.md', 'x/y/b.md', 'c.md'],
    })
    expect(expanded.sources.get('c.md')).toBe('C')
  })
  test('reads helpers, RAW and comments, keeps unknown markup, needs no document', async () => {
    const files = {
      'a.md': 'text <b>x</b> RAW|<user>|RAW<!-- c --><doc src="d.md" local/> & <img src="i.png" local/>',
      'd.md': '<import src="e"/>',
    }
    expect(textOf(await run('<user><import src="a.md"/></user>', files))).toBe(
      'text <b>x</b> <user><import src="e"/> & |{data:image/png;base64,i.png}',
    )
  })
  test('at top level becomes elements, and the first config of all wins', async () => {
    const files = {
      'a.chatmd': '<config model="a"/><tool name="t"/><system>S</system><import src="b.chatmd"/>',
      'b.chatmd': '<user>B</user>',
    }
    const expanded = await run('<import src="a.chatmd"/><config model="m"/><tool name="u"/><user>U</user>', files)
    expect(textOf(expanded)).toBe('S|B|U')
    expect(expanded.config?.model).toBe('a')
    expect(expanded.tools).toMatchObject([
      { name: 't', file: 'a.chatmd' },
      { name: 'u', file: 'main.chatmd' },
    ])
  })
  test('what is wrong in an imported file is told with its name', async () => {
    const files = { 'a.chatmd': 'text\n<user>x', 'b.md': '<user>x</user> RAW|' }
    expect(codesOf(await run('<import src="a.chatmd"/>', files))).toEqual([
      'a.chatmd: CHATMD_TEXT_AT_TOP',
      'a.chatmd: CHATMD_UNCLOSED_ELEMENT',
    ])
    expect(codesOf(await run('<user><import src="b.md"/></user>', files))).toEqual([
      'b.md: CHATMD_NESTED_ELEMENT',
      'b.md: CHATMD_UNCLOSED_RAW',
    ])
  })
  test('a cycle is an error that shows the chain', async () => {
    const { diagnostics } = await run('<user><import src="a"/></user>', {
      a: '<import src="b"/>',
      b: '<import src="a"/>',
    })
    expect(diagnostics).toMatchObject([{ code: 'CHATMD_IMPORT_CYCLE', file: 'b' }])
    expect(diagnostics[0]!.message).toContain('main.chatmd → a → b → a')
  })
  test('a file that imports the document is a cycle, too', async () => {
    const { diagnostics } = await run('<user><import src="a"/></user>', {
      a: '<import src="main.chatmd"/>',
      'main.chatmd': '',
    })
    expect(diagnostics[0]!.message).toContain('main.chatmd → a → main.chatmd')
  })
  test('the same file twice is not a cycle', async () => {
    expect(textOf(await run('<user><import src="a"/><import src="a"/></user>', { a: 'A' }))).toBe('AA')
  })
  test('32 levels are fine, 33 are an error that shows the chain', async () => {
    const chain = (depth: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: depth }, (_, i) => [`f${i + 1}`, i + 1 === depth ? 'end' : `<import src="f${i + 2}"/>`]),
      )
    expect(textOf(await run('<user><import src="f1"/></user>', chain(32)))).toBe('end')
    const { diagnostics } = await run('<user><import src="f1"/></user>', chain(33))
    expect(diagnostics).toMatchObject([{ code: 'CHATMD_IMPORT_TOO_DEEP', file: 'f32' }])
    expect(diagnostics[0]!.message).toContain('f31 → f32 → f33')
  })
  test('files that double at every level end at a limit', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 31 }, (_, i) => [`f${i}`, `<import src="f${i + 1}"/>`.repeat(2)]),
    )
    const expanded = await run('<user><import src="f0"/></user>', { ...files, f31: 'x' })
    expect(codesOf(expanded).filter(code => code.endsWith('CHATMD_TOO_MUCH_EXPANDED'))).toHaveLength(1)
  })
  test('text beyond the limit is not taken', async () => {
    const expanded = await run(
      '<user><import src="a"/><import src="a"/></user>',
      { a: 'xxxxx' },
      { limits: { characters: 8 } },
    )
    expect(textOf(expanded)).toBe('xxxxx')
    expect(codesOf(expanded)).toEqual(['main.chatmd: CHATMD_TOO_MUCH_EXPANDED'])
  })
})

describe('doc and img', () => {
  test('hand the resolver what the element says; strip beats markdown', async () => {
    const asked: ResolveRequest[] = []
    const files = { a: 'A', b: 'B', c: 'C', d: 'D' }
    const source =
      '<user><doc src="a" local/><doc src="b" strip/><doc src="c" markdown/><doc src="d" local strip markdown/><img src="e" local/><img src="f"/></user>'
    await run(source, {}, { resolver: over(files, asked) })
    expect(asked.map(({ kind, src, local, html, from, document }) => [kind, src, local, html, from, document])).toEqual(
      [
        ['doc', 'a', true, 'keep'],
        ['doc', 'b', false, 'strip'],
        ['doc', 'c', false, 'markdown'],
        ['doc', 'd', true, 'strip'],
        ['img', 'e', true, 'keep'],
        ['img', 'f', false, 'keep'],
      ].map(row => [...row, 'main.chatmd', 'main.chatmd']),
    )
  })
  test('inside an import the importing file is told', async () => {
    const asked: ResolveRequest[] = []
    await run(
      '<user><import src="x/a"/></user>',
      {},
      { resolver: over({ 'x/a': '<doc src="b" local/>', 'x/b': 'B' }, asked) },
    )
    expect(asked[1]).toMatchObject({ src: 'b', from: 'x/a', document: 'main.chatmd' })
  })
  test('the text of a doc is not read as markup', async () => {
    expect(textOf(await run('<user><doc src="a" local/></user>', { a: '<import src="b"/> RAW| </user> <!--' }))).toBe(
      '<import src="b"/> RAW| </user> <!--',
    )
  })
  test('images stand between the texts, and data URIs need no resolver', async () => {
    const { messages } = await run(
      '<user>a<img src="data:image/gif;base64,R0lG"/>b<img src="i.png" local filename="i.png"/></user>',
    )
    expect(messages[0]!.message.parts).toEqual([
      { type: 'text', id: 'chatmd-0:0', text: 'a', state: 'done' },
      { type: 'file', mediaType: 'image/gif', url: 'data:image/gif;base64,R0lG' },
      { type: 'text', id: 'chatmd-0:2', text: 'b', state: 'done' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,i.png', filename: 'i.png' },
    ])
  })
  test('what cannot be resolved is a diagnostic at the element', async () => {
    const { diagnostics } = await run('<user>\n  <doc src="none" local/></user>')
    expect(diagnostics).toMatchObject([
      { code: 'CHATMD_NOT_RESOLVED', severity: 'error', range: { start: { line: 2, column: 3 } } },
    ])
  })
  test('a resolver that throws is a diagnostic, not a crash', async () => {
    const resolver: Resolver = {
      resolve() {
        throw new Error('disk on fire')
      },
    }
    const { diagnostics } = await run('<user><doc src="a"/></user>', {}, { resolver })
    expect(diagnostics[0]!.message).toContain('disk on fire')
  })
  test('an abort is passed on', async () => {
    const signal = AbortSignal.abort(new Error('stop'))
    await expect(run('<user><doc src="a"/></user>', {}, { signal })).rejects.toThrow('stop')
  })
})

describe('agent', () => {
  const agents = { 'sub/a.chatmd': '<system>sub</system>' }
  test('runs with its children as input, and its answer stands in its place', async () => {
    const given: AgentRequest[] = []
    const runAgent = async (request: AgentRequest) => {
      given.push(request)
      return { ok: true, text: '<user>answer' } as const
    }
    const source = '<user>x <agent src="sub/a.chatmd" local>\n  <doc src="d" local/>\n</agent> y</user>'
    const expanded = await run(source, { ...agents, d: 'D' }, { runAgent })
    expect(textOf(expanded)).toBe('x <user>answer y')
    expect(given).toEqual([
      {
        file: 'sub/a.chatmd',
        source: '<system>sub</system>',
        local: true,
        input: [{ type: 'text', text: 'D' }],
        agents: ['main.chatmd', 'sub/a.chatmd'],
      },
    ])
  })
  test('without a runner leaves a mark', async () => {
    const { messages, diagnostics } = await run('<user><agent src="sub/a.chatmd">x</agent></user>', agents)
    expect(messages[0]!.pieces).toMatchObject([
      { text: '', origin: { by: 'agent', pending: true, source: 'sub/a.chatmd' } },
    ])
    expect(diagnostics).toEqual([])
  })
  test('a cycle and more than 8 levels are errors that show the chain', async () => {
    const runAgent = async () => ({ ok: true, text: '' }) as const
    const source = '<user><agent src="sub/a.chatmd">x</agent></user>'
    const cycle = await run(source, agents, { runAgent, agents: ['root', 'sub/a.chatmd', 'b'] })
    expect(cycle.diagnostics).toMatchObject([{ code: 'CHATMD_AGENT_CYCLE' }])
    expect(cycle.diagnostics[0]!.message).toContain('root → sub/a.chatmd → b → sub/a.chatmd')
    const chain = (depth: number): string[] => Array.from({ length: depth }, (_, i) => `a${i}`)
    expect((await run(source, agents, { runAgent, agents: chain(8) })).diagnostics).toEqual([])
    expect((await run(source, agents, { runAgent, agents: chain(9) })).diagnostics).toMatchObject([
      { code: 'CHATMD_AGENT_TOO_DEEP' },
    ])
  })
  test('a run that fails or throws is a diagnostic', async () => {
    const source = '<user><agent src="sub/a.chatmd">x</agent></user>'
    const failed = await run(source, agents, {
      runAgent: async () => ({ ok: false, problem: { code: 'CHATMD_AGENT_FAILED', message: 'No key.' } }),
    })
    expect(failed.diagnostics).toMatchObject([{ code: 'CHATMD_AGENT_FAILED', message: 'No key.' }])
    const thrown = await run(source, agents, { runAgent: () => Promise.reject(new Error('boom')) })
    expect(thrown.diagnostics[0]!.message).toContain('boom')
  })
})

describe('payload references', () => {
  test('are read in tool elements only, and only local ones', async () => {
    const asked: ResolveRequest[] = []
    const files = { '.chatmd/0.tool-call.c.json': '{"a":1}', '.chatmd/0.tool-call-result.c.json': 'out' }
    const source =
      '<tool_call function_name="f" tool_call_id="c">\n  <doc src="./.chatmd/0.tool-call.c.json" local/>\n</tool_call>\n<tool_response tool_call_id="c">\n  <doc src="./.chatmd/0.tool-call-result.c.json" local/>\n</tool_response>\n<assistant><doc src="secret" local/></assistant><tool_response tool_call_id="d"><doc src="https://x"/></tool_response>'
    const { messages } = await run(source, {}, { resolver: over(files, asked) })
    expect(messages[0]!.message.parts[0]).toMatchObject({
      toolInvocation: { input: { a: 1 }, output: 'out', state: 'output-available' },
    })
    expect(asked.map(one => one.kind)).toEqual(['payload', 'payload'])
  })
  test('that are missing are errors, and a broken one is told', async () => {
    const call = '<tool_call function_name="f" tool_call_id="c"><doc src="p" local/></tool_call>'
    expect(codesOf(await run(call))).toEqual(['main.chatmd: CHATMD_NOT_RESOLVED'])
    expect(codesOf(await run(call, { p: '{' }))).toEqual(['main.chatmd: CHATMD_BAD_PAYLOAD'])
  })
  test('are not limited in number or size', async () => {
    const call = '<tool_call function_name="f" tool_call_id="c"><doc src="p" local/></tool_call>'
    expect(codesOf(await run(call.repeat(5), { p: '"xxxxxxxx"' }, { limits: { sources: 1, characters: 3 } }))).toEqual(
      [],
    )
  })
})

describe('messages', () => {
  test('an empty user message at the end is not sent; one elsewhere is', async () => {
    const { messages } = await run('<user></user><assistant>a</assistant><user>\n \n</user>')
    expect(messages.map(one => one.sent)).toEqual([true, true, false])
  })
  test('a user message that only an import fills is sent', async () => {
    const { messages } = await run('<user><import src="a"/></user>', { a: 'A' })
    expect(messages.map(one => one.sent)).toEqual([true])
  })
  test('elements of one message id are one message, and others start another', async () => {
    const { messages } = await run(
      '<assistant message="a">1</assistant><assistant message="a">2</assistant><assistant message="b">3</assistant><assistant>4</assistant>',
    )
    expect(messages.map(({ message }) => [message.id, message.parts.length])).toEqual([
      ['a', 2],
      ['b', 1],
      ['chatmd-3', 1],
    ])
  })
  test('the last end of a message says how it ended', async () => {
    const failed = '<assistant message="a" part="end" status="error" finish="error" error="Broken."/>'
    const { messages } = await run(
      `<assistant message="a">half</assistant>${failed}<assistant message="a" step>whole</assistant><assistant message="a" part="end"/>`,
    )
    const { parts, ...message } = messages[0]!.message
    expect([message, parts.length]).toEqual([{ id: 'a', role: 'assistant', status: 'sent' }, 3])
  })
  test('a response finds its call across messages', async () => {
    const { messages } = await run(
      '<tool_call function_name="f" tool_call_id="c">{}</tool_call><user>x</user><tool_response tool_call_id="c">late</tool_response>',
    )
    expect(messages[0]!.message.parts[0]).toMatchObject({ toolInvocation: { output: 'late' } })
  })
})
