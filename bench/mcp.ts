import { fileURLToPath } from 'node:url'
import { mcp } from '@argot/agent'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { leastInTurn } from './measure.ts'
import { table } from './table.ts'

const program = fileURLToPath(new URL('../packages/agent/test/tool/source/odd-server.mjs', import.meta.url))
const CALLS = 200
const ROUNDS = 7
/** Ours also checks the input by its schema, asks for progress and listens for a stop. */
const BOUND = 2

/** What a call of an MCP tool costs this process, beside the bare client of the official package with the same server. */
export async function run(): Promise<boolean> {
  const source = await mcp(`stdio:${process.execPath} ${program}`).open({ env: process.env, notice: () => {} })
  const echo = source.tools.find(tool => tool.name === 'echo')!
  const client = new Client({ name: 'bare', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program] }))
  const { signal } = new AbortController()
  const context = { toolCallId: 'c', idempotencyKey: 'k', signal, preview: () => {} }
  const input = { text: 'x'.repeat(200) }
  const ours = async (): Promise<void> => {
    for (let call = 0; call < CALLS; call++) {
      const checked = await echo.validate(input)
      if (!checked.ok) throw new Error(checked.problem)
      await echo.execute(checked.input, context)
    }
  }
  const bare = async (): Promise<void> => {
    for (let call = 0; call < CALLS; call++) await client.callTool({ name: 'echo', arguments: input })
  }
  try {
    await ours()
    await bare()
    const [own, theirs] = (await leastInTurn([ours, bare], ROUNDS)).map(ms => (ms * 1000) / CALLS)
    const ratio = own! / theirs!
    console.log('\nMCP: CPU of this process for one call, µs; the least of several rounds, both warm\n')
    console.log(
      table(
        ['', 'µs'],
        [
          ['argot', own!],
          ['@modelcontextprotocol/client', theirs!],
          ['ratio', ratio],
        ],
      ),
    )
    const held = ratio <= BOUND
    console.log(`\n${held ? 'held' : 'BROKEN'}: at most ${BOUND} times the bare client`)
    return held
  } finally {
    await source.close()
    await client.close()
  }
}
