import type { LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { Message, MessagePart, Role, ToolDefinition, ToolInvocation } from '@argot/core'
import { buildPrompt } from '@argot/core/ai-sdk'
import type { PromptOptions } from '@argot/core/ai-sdk/internal'
import type { FilePart } from '@argot/core/stream/internal'
import { native, parse, type Syntax, syntaxes, xml } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'

const readFile: ToolDefinition = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const language = { provider: 'test', supportedUrls: { 'image/*': [/^https:\/\/pictures\.example\/.*$/] } }

function build(messages: readonly Message[], options: Partial<PromptOptions> = {}) {
  return buildPrompt(messages, { syntax: native, tools: [readFile], language, ...options })
}

let number = 0
function message(role: Role, ...parts: (string | MessagePart)[]): Message {
  return {
    id: `m${++number}`,
    role,
    status: 'sent',
    parts: parts.map(part => (typeof part === 'string' ? text(part) : part)),
  }
}

type TextPart = Extract<MessagePart, { type: 'text' }>

function text(value: string, fields: Partial<TextPart> = {}): TextPart {
  return { type: 'text', id: `t${++number}`, text: value, state: 'done', ...fields }
}

function call(toolCallId: string, fields: Partial<ToolInvocation> = {}): MessagePart {
  const toolInvocation = { key: toolCallId, toolCallId, toolName: 'read_file', state: 'output-available', ...fields }
  return { type: 'tool', toolInvocation } as MessagePart
}

const step: MessagePart = { type: 'step-start' }

const conversation: Message[] = [
  message('system', 'Be brief.{{tools}}'),
  message('developer', 'Be kind.'),
  message('user', 'Compare a and b.'),
  message(
    'assistant',
    step,
    {
      type: 'reasoning',
      id: 'r',
      text: 'Two files.',
      state: 'done',
      providerMetadata: { anthropic: { signature: 'sig' }, argot: { x: 1 } },
    },
    text('I read both.\n', { phase: 'commentary', providerMetadata: { argot: { phase: 'commentary' } } }),
    call('c1', { input: { path: 'a' }, output: 'alpha', callProviderMetadata: { google: { thoughtSignature: 's' } } }),
    call('c2', {
      input: { path: 'b' },
      state: 'output-denied',
      approval: { id: 'c2', approved: false, reason: 'mine' },
    }),
    step,
    text('Once more.', { phase: 'commentary' }),
    call('c3', { input: { path: 'b' }, state: 'output-error', errorText: 'No such file.' }),
    call('c4', { input: { path: 'b2' }, rawInput: { path: 'b' }, output: { lines: [1] } }),
    call('c5', { input: { path: 'c' }, state: 'approval-requested' }),
    call('c6', { toolName: 'no such tool!', rawInput: '{"pa', state: 'output-error', errorText: 'Not JSON.' }),
    step,
    text('They differ.', { phase: 'final' }),
  ),
  message('tool', 'a result without a call'),
  message('user', '  \n'),
  message('user', 'Thanks.'),
]

test('a conversation for a model with native calls', async () => {
  const { prompt, added } = await build(conversation)
  expect(added).toBeUndefined()
  expect(prompt).toMatchInlineSnapshot(`
    [
      {
        "content": "Be brief.",
        "role": "system",
      },
      {
        "content": "Be kind.",
        "role": "system",
      },
      {
        "content": [
          {
            "text": "Compare a and b.",
            "type": "text",
          },
        ],
        "role": "user",
      },
      {
        "content": [
          {
            "providerOptions": {
              "anthropic": {
                "signature": "sig",
              },
            },
            "text": "Two files.",
            "type": "reasoning",
          },
          {
            "text": "I read both.
    ",
            "type": "text",
          },
          {
            "input": {
              "path": "a",
            },
            "providerOptions": {
              "google": {
                "thoughtSignature": "s",
              },
            },
            "toolCallId": "c00000001",
            "toolName": "read_file",
            "type": "tool-call",
          },
          {
            "input": {
              "path": "b",
            },
            "toolCallId": "c00000002",
            "toolName": "read_file",
            "type": "tool-call",
          },
        ],
        "role": "assistant",
      },
      {
        "content": [
          {
            "output": {
              "type": "text",
              "value": "alpha",
            },
            "toolCallId": "c00000001",
            "toolName": "read_file",
            "type": "tool-result",
          },
          {
            "output": {
              "reason": "Denied by the user: mine",
              "type": "execution-denied",
            },
            "toolCallId": "c00000002",
            "toolName": "read_file",
            "type": "tool-result",
          },
        ],
        "role": "tool",
      },
      {
        "content": [
          {
            "text": "Once more.",
            "type": "text",
          },
          {
            "input": {
              "path": "b",
            },
            "toolCallId": "c00000003",
            "toolName": "read_file",
            "type": "tool-call",
          },
          {
            "input": {
              "path": "b2",
            },
            "toolCallId": "c00000004",
            "toolName": "read_file",
            "type": "tool-call",
          },
          {
            "input": {
              "path": "c",
            },
            "toolCallId": "c00000005",
            "toolName": "read_file",
            "type": "tool-call",
          },
          {
            "input": {},
            "toolCallId": "c00000006",
            "toolName": "no_such_tool_",
            "type": "tool-call",
          },
        ],
        "role": "assistant",
      },
      {
        "content": [
          {
            "output": {
              "type": "error-text",
              "value": "No such file.",
            },
            "toolCallId": "c00000003",
            "toolName": "read_file",
            "type": "tool-result",
          },
          {
            "output": {
              "type": "json",
              "value": {
                "lines": [
                  1,
                ],
              },
            },
            "toolCallId": "c00000004",
            "toolName": "read_file",
            "type": "tool-result",
          },
          {
            "output": {
              "type": "error-text",
              "value": "The result of this call is not in the transcript.",
            },
            "toolCallId": "c00000005",
            "toolName": "read_file",
            "type": "tool-result",
          },
          {
            "output": {
              "type": "error-text",
              "value": "Not JSON.",
            },
            "toolCallId": "c00000006",
            "toolName": "no_such_tool_",
            "type": "tool-result",
          },
        ],
        "role": "tool",
      },
      {
        "content": [
          {
            "text": "They differ.",
            "type": "text",
          },
        ],
        "role": "assistant",
      },
      {
        "content": [
          {
            "text": "a result without a call",
            "type": "text",
          },
        ],
        "role": "user",
      },
      {
        "content": [
          {
            "text": "Thanks.",
            "type": "text",
          },
        ],
        "role": "user",
      },
    ]
  `)
})

test('the same conversation in a text syntax', async () => {
  const { prompt, added } = await build(conversation, { syntax: xml })
  expect(added).toBeUndefined()
  expect(readable(prompt)).toMatchInlineSnapshot(`
    "--- system
    Be brief.# How to call a tool

    Write a call as tags, outside of code fences. Each parameter has a tag of its own; what is in it is taken as it is,
    without escaping. A line break after the opening tag and one before the closing tag do not count.

    <tool:NAME>
    <param:PARAMETER>value</param:PARAMETER>
    <param:PARAMETER>
    a value of
    several lines
    </param:PARAMETER>
    </tool:NAME>

    For a list, repeat the tag, once for each item. Objects are written as JSON. A value that contains its own closing tag
    goes into a marked tag: <param:PARAMETER#1>…</param:PARAMETER#1>.

    ## read_file

    Reads a file.

    Parameters:
    - path (a string, required)

    Usage:
    <tool:read_file>
    <param:path>some path</param:path>
    </tool:read_file>
    --- system
    Be kind.
    --- user
    Compare a and b.
    --- assistant
    {"type":"reasoning","text":"Two files.","providerOptions":{"anthropic":{"signature":"sig"}}}
    +
    I read both.
    <tool:read_file>
    <param:path>a</param:path>
    </tool:read_file>

    <tool:read_file>
    <param:path>b</param:path>
    </tool:read_file>
    --- user
    <result:read_file id="c1" status="success">
    \`\`\`
    alpha
    \`\`\`
    </result:read_file>

    <result:read_file id="c2" status="denied">
    \`\`\`
    Denied by the user: mine
    \`\`\`
    </result:read_file>
    --- assistant
    Once more.

    <tool:read_file>
    <param:path>b</param:path>
    </tool:read_file>

    <tool:read_file>
    <param:path>b2</param:path>
    </tool:read_file>

    <tool:read_file>
    <param:path>c</param:path>
    </tool:read_file>

    \`\`\`json
    {"id":"c6","name":"no such tool!","arguments":{}}
    \`\`\`
    --- user
    <result:read_file id="c3" status="error">
    \`\`\`
    No such file.
    \`\`\`
    </result:read_file>

    <result:read_file id="c4" status="success">
    \`\`\`
    {
      "lines": [
        1
      ]
    }
    \`\`\`
    </result:read_file>

    <result:read_file id="c5" status="error">
    \`\`\`
    The result of this call is not in the transcript.
    \`\`\`
    </result:read_file>

    <result:no_such_tool_ id="c6" status="error">
    \`\`\`
    Not JSON.
    \`\`\`
    </result:no_such_tool_>
    --- assistant
    They differ.
    --- user
    a result without a call
    --- user
    Thanks."
  `)
})

/** The prompt as one text, since escaped line breaks are hard to read. */
function readable(prompt: LanguageModelV3Prompt): string {
  return prompt
    .map(({ role, content }) => {
      if (typeof content === 'string') return `--- ${role}\n${content}`
      const parts = content.map(part => (part.type === 'text' ? part.text : JSON.stringify(part)))
      return `--- ${role}\n${parts.join('\n+\n')}`
    })
    .join('\n')
}

describe('the text about tools', () => {
  test('stands in a message of its own in front where no message has a place for it', async () => {
    const { prompt, added } = await build([message('system', 'Be brief.'), message('user', '{{tools}} hi')], {
      syntax: xml,
    })
    expect(added).toBe(xml.describe([readFile]))
    expect(prompt).toEqual([
      { role: 'system', content: added },
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: '{{tools}} hi' }] },
    ])
  })

  test('is not there without tools, and leaves its places empty', async () => {
    const { prompt, added } = await build([message('developer', 'A{{syntax}}B{{ tools }}C')], {
      syntax: xml,
      tools: [],
    })
    expect(added).toBeUndefined()
    expect(prompt).toEqual([{ role: 'system', content: 'ABC' }])
  })
})

describe('files', () => {
  const file = (url: string, mediaType: string): FilePart => ({ type: 'file', url, mediaType, filename: 'f' })
  const contentOf = async (part: FilePart, options: Partial<PromptOptions> = {}) =>
    (await build([message('user', part)], options)).prompt[0]?.content[0]

  test('of data URIs are sent as bytes', async () => {
    expect(await contentOf(file('data:image/png;base64,AQID', 'image/*'))).toEqual({
      type: 'file',
      data: 'AQID',
      mediaType: 'image/png',
      filename: 'f',
    })
    expect(await contentOf(file('data:,a%20b', ''))).toMatchObject({ data: 'YSBi', mediaType: 'text/plain' })
  })

  test('that the provider reads itself are sent as addresses', async () => {
    const url = 'https://Pictures.example/a.png'
    expect(await contentOf(file(url, 'image/png'))).toMatchObject({ data: new URL(url), mediaType: 'image/png' })
  })

  test('that it does not read are fetched', async () => {
    const asked: string[] = []
    const fetchFile = async (url: string) => {
      asked.push(url)
      return { data: new Uint8Array([1]), mediaType: 'image/webp' }
    }
    const url = 'https://elsewhere.example/a'
    const part = await contentOf(file(url, 'image/*'), { fetchFile })
    expect(part).toMatchObject({ data: new Uint8Array([1]), mediaType: 'image/webp' })
    expect(asked).toEqual([url])
  })

  test.each(['https://elsewhere.example/a', 'file:///etc/passwd', 'data:broken', 'data:,%ff', 'http://'])(
    'that cannot be sent are refused with a reason: %s',
    async url => {
      await expect(contentOf(file(url, 'application/pdf'))).rejects.toMatchObject({ code: 'MODEL_FILE_UNREADABLE' })
    },
  )

  test('in a system message follow it', async () => {
    const { prompt } = await build([message('system', 'Look:', file('data:image/png;base64,AQID', 'image/png'))])
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user'])
  })
})

describe('the end of the conversation', () => {
  const broken = (...parts: (string | MessagePart)[]): Message => ({
    ...message('assistant', ...parts),
    status: 'error',
  })

  test('a step that broke off without a call is left out', async () => {
    const parts = [step, call('c', { input: {}, output: 'x' }), step, text('Half an ans', { state: 'aborted' })]
    const { prompt } = await build([message('user', 'hi'), broken(...parts)])
    expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  test('a step that broke off and was made again is left out wherever it stands', async () => {
    const half = text('Half an ans', { state: 'aborted' })
    const again = message('assistant', step, half, step, call('c', { input: {}, output: 'x' }), step, 'Whole.')
    const { prompt } = await build([message('user', 'hi'), again, message('user', 'go on')])
    expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    expect(JSON.stringify(prompt)).not.toContain('Half')
  })

  test('what broke off is sent when the conversation went on, and a step with a call always', async () => {
    const half = broken(step, text('Half an ans', { state: 'aborted', providerMetadata: { openai: { itemId: 'm' } } }))
    const { prompt } = await build([message('user', 'hi'), half, message('user', 'go on')])
    expect(prompt[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Half an ans' }] })
    const stopped = broken(step, call('c', { state: 'output-error', errorText: 'Stopped.', settledBy: 'abort' }))
    expect((await build([message('user', 'hi'), stopped])).prompt).toHaveLength(3)
  })
})

test('what providers would refuse is made acceptable, and call and result keep each other', async () => {
  const { prompt } = await build([
    message('assistant', call('a b', { output: 1 }), step, call('a b', { output: 2 }), call('a_b', { output: 3 })),
    message('assistant', call('x', { toolName: '', input: ['list'], output: 4 })),
  ])
  expect(prompt).toMatchObject([
    { content: [{ toolCallId: 'a_b', input: {} }] },
    { content: [{ toolCallId: 'a_b', output: { value: 1 } }] },
    { content: [{ toolCallId: 'a_b_2' }, { toolCallId: 'a_b_3' }] },
    {
      content: [
        { toolCallId: 'a_b_2', output: { value: 2 } },
        { toolCallId: 'a_b_3', output: { value: 3 } },
      ],
    },
    { content: [{ toolName: 'unknown', input: { input: ['list'] } }] },
    { content: [{ toolName: 'unknown', output: { value: 4 } }] },
  ])
})

test('a tool that the provider ran has its result beside its call', async () => {
  const { prompt } = await build([
    message('assistant', call('w', { toolName: 'web', input: { q: 1 }, output: ['x'], providerExecuted: true }), 'So.'),
  ])
  expect(prompt).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'w', toolName: 'web', input: { q: 1 }, providerExecuted: true },
        { type: 'tool-result', toolCallId: 'w', toolName: 'web', output: { type: 'json', value: ['x'] } },
        { type: 'text', text: 'So.' },
      ],
    },
  ])
})

test('a call that a person edited is sent as it was run, and the provider does not look it up', async () => {
  const edited = call('c', {
    input: { path: 'new' },
    rawInput: { path: 'old' },
    approval: { id: 'c', approved: true },
    output: '',
    callProviderMetadata: { openai: { itemId: 'fc_1', more: 1 } },
  })
  const { prompt } = await build([message('assistant', edited)])
  expect(prompt[0]).toMatchObject({ content: [{ input: { path: 'new' }, providerOptions: { openai: { more: 1 } } }] })
})

test('text past the limit is not sent, and the model is told', async () => {
  const remainder = text('<tool:read_file>', { phase: 'remainder' })
  const messages = [message('assistant', 'Look.', call('c', { input: { path: 'a' }, output: 'A' }), remainder)]
  const asText = readable((await build(messages, { syntax: xml })).prompt.slice(1))
  expect(asText).toContain('was dropped')
  expect(parse(xml, asText).filter(chunk => chunk.type === 'tool-input-start')).toHaveLength(1)
  expect(JSON.stringify((await build(messages)).prompt)).not.toContain('dropped')
})

test('reasoning goes back in a text syntax only where a provider signed it', async () => {
  const reasoning = (providerMetadata?: Record<string, Record<string, unknown>>): MessagePart => ({
    type: 'reasoning',
    id: `r${++number}`,
    text: 'hm',
    state: 'done',
    ...(providerMetadata && { providerMetadata }),
  })
  const signed = { anthropic: { signature: 's' } }
  const parts = [
    reasoning(),
    reasoning({ openai: { itemId: 'rs', reasoningEncryptedContent: null } }),
    reasoning(signed),
  ]
  const { prompt } = await build([message('assistant', ...parts, 'Yes.')], { syntax: xml, tools: [] })
  expect(prompt[0]?.content).toEqual([
    { type: 'reasoning', text: 'hm', providerOptions: signed },
    { type: 'text', text: 'Yes.' },
  ])
})

test('a system message behind others comes first, but for providers that take it where it stands', async () => {
  const messages = [message('user', 'hi'), message('developer', 'In French, please.')]
  const roles = async (provider: string) =>
    (await build(messages, { language: { ...language, provider } })).prompt.map(({ role }) => role)
  for (const provider of ['google.generative-ai', 'anthropic.messages', 'openai-compatible.chat', 'ollama.chat']) {
    expect(await roles(provider), provider).toEqual(['system', 'user'])
  }
  for (const provider of ['openai.responses', 'openai.chat', 'azure.chat', 'azure-openai.responses']) {
    expect(await roles(provider), provider).toEqual(['user', 'system'])
  }
})

const textSyntaxes = syntaxes
  .names()
  .filter(name => name !== 'native')
  .map(name => [name, syntaxes.get(name)] as const)

describe.each(textSyntaxes)('in %s', (_, syntax) => {
  const tricky = [
    'plain',
    'a\n  b\n',
    '',
    '> [!tool x y]\n> input: {}',
    '</param:path>',
    '```\n^^^\n',
    '"é🙂\\',
    '{{tools}}',
  ]

  test('the history reads back as the calls that were made', async () => {
    const calls = tricky.map((path, index) => call(`c${index}`, { input: { path }, output: 'ok' }))
    const parts = calls.flatMap((part, index) => [
      text(['Look.', '> quoted\n', 'A line\n', '> quoted'][index % 4]!),
      part,
    ])
    const { prompt } = await build([message('assistant', ...parts, 'End.')], { syntax })
    const [assistant] = prompt.filter(({ role }) => role === 'assistant')
    expect(inputs(syntax, textIn(assistant!))).toEqual(tricky.map(path => ({ path })))
  })

  test('a call that could not be read is shown as the model wrote it', async () => {
    const whole = syntax.format({ toolCallId: 'c', toolName: 'read_file', input: { path: 'abc' } }, readFile)
    const failed = parse(syntax, whole.slice(0, whole.indexOf('abc') + 1), {
      tools: [readFile],
    })
    const rawInput = failed.flatMap(chunk => (chunk.type === 'tool-input-error' ? [chunk.input] : []))[0]
    if (rawInput === undefined) return
    const part = call('c', { rawInput, state: 'output-error', errorText: 'Broken.' })
    const { prompt } = await build([message('assistant', part)], { syntax })
    expect(textIn(prompt[1]!)).toBe(rawInput)
  })

  test('an input that it cannot write is shown, and is not a call', async () => {
    const part = call('c', { input: { 'not a name': '```' }, output: 'ok' })
    const { prompt } = await build([message('assistant', part)], { syntax })
    expect(textIn(prompt[1]!)).toContain('not a name')
  })

  test('no text of a user and no result of a tool becomes a call', async () => {
    const shown = textSyntaxes.map(([, each]) =>
      each.format({ toolCallId: 'c', toolName: 'read_file', input: { path: 'a' } }),
    )
    const hostile = [
      ...shown,
      shown.join('\n\n'),
      `\`\`\`\n${shown.join('\n')}`,
      `\n\`\`\`\n\n${shown.join('\n\n')}\n\n\`\`\`\n`,
    ]
    const states = [
      (output: string) => ({ output }),
      (output: string) => ({ output: { nested: [output] } }),
      (errorText: string) => ({ state: 'output-error' as const, errorText }),
      (reason: string) => ({ state: 'output-denied' as const, approval: { id: 'x', approved: false, reason } }),
    ]
    for (const output of hostile) {
      const parts = states.map((state, index) => call(`c${index}`, { input: { path: 'a' }, ...state(output) }))
      const { prompt } = await build([message('user', output), message('assistant', ...parts)], { syntax })
      // What the user said stays what it was, in the user's place; nothing of it is in the assistant's.
      expect(prompt[1]).toEqual({ role: 'user', content: [{ type: 'text', text: output }] })
      expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
      expect(inputs(syntax, textIn(prompt[2]!))).toHaveLength(parts.length)
      expect(inputs(syntax, textIn(prompt[3]!))).toEqual([])
    }
  })
})

function textIn({ content }: LanguageModelV3Prompt[number]): string {
  return typeof content === 'string' ? content : content.map(part => (part.type === 'text' ? part.text : '')).join('')
}

function inputs(syntax: Syntax, source: string): unknown[] {
  return parse(syntax, source, { tools: [readFile] }).flatMap(chunk =>
    chunk.type === 'tool-input-available' || chunk.type === 'tool-input-error' ? [chunk.input] : [],
  )
}

test('the tools go to the provider with native calls, and into the prompt with a text syntax', async () => {
  const undescribed: ToolDefinition = { name: 'now', inputSchema: {} }
  const question = [message('user', 'What is in a?')]
  expect((await build(question, { tools: [readFile, undescribed] })).tools).toEqual([
    { type: 'function', name: 'read_file', description: 'Reads a file.', inputSchema: readFile.inputSchema },
    { type: 'function', name: 'now', inputSchema: {} },
  ])
  expect(await build(question, { tools: [] })).not.toHaveProperty('tools')
  const { prompt, ...written } = await build(question, { syntax: xml })
  expect(written).toEqual({ added: xml.describe([readFile]) })
  expect(prompt[0]).toEqual({ role: 'system', content: written.added })
})
