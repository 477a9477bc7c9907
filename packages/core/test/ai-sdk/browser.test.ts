import { runInNewContext } from 'node:vm'
import { type BuildFailure, build } from 'esbuild'
import { expect, test } from 'vitest'

/** A program bundled as an application for browsers would bundle it. Rejects where something is only in Node. */
async function bundle(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'bundled',
    conditions: ['@argot/source'],
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}

/** Calls `main` of a program in a realm that has what all platforms have, and nothing of Node. */
async function runInBrowser(program: string): Promise<unknown> {
  const script = await bundle(program)
  const result = runInNewContext(`${script}; bundled.main()`, { btoa, TextEncoder, URL })
  return structuredClone(await result)
}

test('a bundle for browsers imports nothing of Node', async () => {
  expect(await bundle(`export * from '@argot/core/ai-sdk'`)).not.toMatch(/["']node:|\brequire\(/)
})

test('a module of Node would be found', async () => {
  const failure: BuildFailure = await bundle(`import 'node:crypto'; export * from '@argot/core/ai-sdk'`).catch(
    error => error,
  )
  expect(failure.message).toContain('node:crypto')
})

test('prompt and reply work where there is nothing of Node', async () => {
  const said = await runInBrowser(`
    import { accumulate } from '@argot/core'
    import { buildPrompt, ReplyReader } from '@argot/core/ai-sdk'
    import { caret } from '@argot/core/syntax'

    export async function main() {
      const language = { provider: 'test', supportedUrls: {} }
      const tools = [{ name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }]
      const look = { type: 'text', id: 't', text: 'Look.', state: 'done' }
      const file = { type: 'file', mediaType: 'text/plain', url: 'data:text/plain,%C3%A4' }
      const messages = [{ id: 'u', role: 'user', status: 'sent', parts: [look, file] }]
      const { prompt } = await buildPrompt(messages, { syntax: caret, tools, language })
      const reply = new ReplyReader({ syntax: caret, tools, step: 1 })
      const fold = accumulate()
      const parts = [
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: '^^^read_file\\npath: a\\n^^^' },
        { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
        { type: 'tool-input-start', id: 'x'.repeat(2000), toolName: 'b' },
        { type: 'finish', finishReason: { unified: 'stop' }, usage: {} },
      ]
      for (const part of parts) for (const chunk of reply.push(part)) fold.push(chunk)
      for (const chunk of reply.end()) fold.push(chunk)
      return { user: prompt.at(-1), parts: fold.message.parts }
    }`)
  expect(said).toMatchObject({
    user: {
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'file', data: 'w6Q=' },
      ],
    },
    parts: [
      { type: 'tool', toolInvocation: { toolName: 'read_file', input: { path: 'a' } } },
      { type: 'file', url: 'data:image/png;base64,AQID' },
      { type: 'tool', toolInvocation: { toolName: 'b', state: 'output-error' } },
    ],
  })
})
