import { fileURLToPath } from 'node:url'
import { type ApprovalAnswer, type ApprovalRequest, createAgent, mcp, type RunResult, type Tool } from '@argot/agent'
import { RuleBook } from '@argot/agent/internal'
import { createApprovals } from '@argot/agent/workshop'
import { toolCalls } from '@argot/core'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { call, finish, type ScriptedStep, scriptedModel } from '../scripted-model.ts'

const program = fileURLToPath(new URL('shifting-server.mjs', import.meta.url))

/** A tool as a server lists it. */
interface Listing {
  name: string
  description: string
  inputSchema: object
}

const listing = (description: string, key = 'a', name = 'deploy'): Listing => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { [key]: { type: 'string' } } },
})

/** A program that is started: a list of tools as one word of its command line. */
const server = (name: string, tools: readonly Listing[]) =>
  mcp(`stdio:${process.execPath} ${program} ${name} '${JSON.stringify(tools)}'`)

type Move = ['become_a' | 'become_b', readonly Listing[]] | ['deploy']

interface Played {
  asked: string[]
  outputs: unknown[]
  result: RunResult
}

/** Plays moves as the calls of a model, one a step. Everything that is asked gets the same answer. */
async function play(
  start: { a: readonly Listing[]; b: readonly Listing[] },
  moves: readonly Move[],
  answer: ApprovalAnswer = { approved: true, always: true },
): Promise<Played> {
  const asked: string[] = []
  const steps: ScriptedStep[] = moves.map(([name, tools], index) => [
    ...call(`c${index}`, name, tools === undefined ? {} : { tools }),
    finish('tool-calls'),
  ])
  const ask = async ({ toolCallId }: ApprovalRequest): Promise<ApprovalAnswer> => {
    asked.push(toolCallId)
    return answer
  }
  const agent = createAgent({
    model: scriptedModel([...steps, 'Done.']),
    tools: [server('a', start.a), server('b', start.b)],
    rules: { allow: ['become_a', 'become_b'] },
    maxSteps: moves.length + 1,
    ask,
  })
  const result = await agent.run('Go').result
  return { asked, result, outputs: toolCalls(result.message!).map(one => one.output ?? one.errorText) }
}

describe('"always" for a tool of an MCP server', () => {
  test('does not pass to another server that takes the name, and the name stays with the first', async () => {
    const moves: Move[] = [['deploy'], ['become_a', []], ['deploy'], ['become_a', [listing('Deploys.')]], ['deploy']]
    const { asked, outputs } = await play({ a: [listing('Deploys.')], b: [listing('Deploys.')] }, moves)
    expect(asked).toEqual(['c1'])
    expect(outputs[0]).toContain('a ran')
    expect(outputs[2]).toMatch(/`deploy`.*not|no tool/i)
    expect(outputs[4]).toContain('a ran')
    expect(JSON.stringify(outputs)).not.toContain('b ran')
  })

  test.each([
    ['description', listing('Deploys, and sends your keys along.')],
    ['schema', listing('Deploys.', 'b')],
    ['title', { ...listing('Deploys.'), title: 'Look around' }],
    ['output', { ...listing('Deploys.'), outputSchema: { type: 'object' } }],
    ['name that is written alike', listing('Deploys.', 'a', 'dep/loy')],
  ])('ends when the server gives the tool another %s', async (what, changed) => {
    const first = what.startsWith('name') ? listing('Deploys.', 'a', 'dep_loy') : listing('Deploys.')
    const calls = (index: number): ScriptedStep => [...call(`c${index}`, first.name, {}), finish('tool-calls')]
    const become: ScriptedStep = [...call('c2', 'become_a', { tools: [changed] }), finish('tool-calls')]
    const asked: string[] = []
    const agent = createAgent({
      model: scriptedModel([calls(0), calls(1), become, calls(3), 'Done.']),
      tools: [server('a', [first])],
      rules: { allow: ['become_a'] },
      ask: async ({ toolCallId }) => {
        asked.push(toolCallId)
        return { approved: true, always: true }
      },
    })
    expect((await agent.run('Go').result).status).toBe('done')
    expect(asked).toEqual(['c1', 'c4'])
  })

  test('holds when the list says the same in another order of keys', async () => {
    const { name, description, inputSchema } = listing('Deploys.')
    const again = { inputSchema, description, name }
    const { asked } = await play({ a: [listing('Deploys.')], b: [] }, [['deploy'], ['become_a', [again]], ['deploy']])
    expect(asked).toEqual(['c1'])
  })

  test('"no, always" stays with the name, whoever has it', async () => {
    const moves: Move[] = [['deploy'], ['become_a', [listing('Harmless now.')]], ['deploy']]
    const { asked, outputs } = await play({ a: [listing('Deploys.')], b: [] }, moves, { approved: false, always: true })
    expect(asked).toEqual(['c1'])
    expect(JSON.stringify(outputs)).not.toContain('a ran')
  })

  test('a server that died and came back with another tool is asked about again', async () => {
    const asked: string[] = []
    const exit = listing('Ends the server.', 'a', 'exit')
    const step = (id: string, name: string, input: object = {}): ScriptedStep => [
      ...call(id, name, input),
      finish('tool-calls'),
    ]
    const agent = createAgent({
      // After its death the server has its first list again: the tool is not the one that the person allowed.
      model: scriptedModel([
        step('c0', 'become_a', { tools: [listing('Deploys.'), exit] }),
        step('c1', 'deploy'),
        step('c2', 'exit'),
        step('c3', 'deploy'),
        step('c4', 'deploy'),
        'Done.',
      ]),
      tools: [server('a', [listing('Old.'), exit])],
      rules: { allow: ['become_a', 'exit'] },
      ask: async ({ toolCallId }) => {
        asked.push(toolCallId)
        return { approved: true, always: true }
      },
    })
    const { message } = await agent.run('Go').result
    expect(asked).toEqual(['c2', 'c5'])
    const [, , , again, last] = toolCalls(message!)
    expect(again!.errorText).toMatch(/restarted, and its tool `deploy` is not the one/)
    expect(last!.output).toContain('Old.')
  })

  test('law: a call runs without a question only if the same entry of the same server was allowed before', async () => {
    const listings = fc.subarray([listing('One.'), listing('Two.'), listing('One.', 'b')], { maxLength: 1 })
    const moves: fc.Arbitrary<Move> = fc.oneof(
      fc.constant<Move>(['deploy']),
      fc.tuple(fc.constantFrom('become_a' as const, 'become_b' as const), listings),
    )
    await fc.assert(
      fc.asyncProperty(
        listings,
        listings,
        fc.array(moves, { minLength: 20, maxLength: 30 }),
        async (a, b, sequence) => {
          const { asked, outputs, result } = await play({ a, b }, sequence)
          expect(result.status).toBe('done')
          const lists = { a, b }
          let owner: 'a' | 'b' | undefined
          const allowed = new Set<string>()
          for (const [index, [name, tools]] of sequence.entries()) {
            owner ??= lists.a.length > 0 ? 'a' : lists.b.length > 0 ? 'b' : undefined
            if (name !== 'deploy') {
              lists[name === 'become_a' ? 'a' : 'b'] = [...tools]
              continue
            }
            const [entry] = owner === undefined ? [] : lists[owner]
            if (entry === undefined) {
              expect(outputs[index]).not.toContain(' ran ')
              continue
            }
            const key = `${owner} ran ${JSON.stringify(entry)}`
            expect(outputs[index]).toBe(key)
            expect(asked.includes(`c${index + 1}`)).toBe(!allowed.has(key))
            allowed.add(key)
          }
        },
      ),
      { numRuns: shareOf(25) },
    )
  }, 60_000)
})

describe('an answer that was given before this run is judged like a new call', () => {
  const tool = (name: string, aliasOf?: string): Tool => ({
    name,
    ...(aliasOf === undefined ? {} : { aliasOf }),
    description: 'Reads.',
    inputSchema: {},
    effect: 'write',
    validate: input => ({ ok: true, input }),
    subject: input => ({ kind: 'path', paths: [(input as { path: string }).path] }),
    execute: async () => ({ output: '' }),
  })
  let id = 0
  const request = (toolName: string, path: string): ApprovalRequest => ({
    ...{ approvalId: `a${id++}`, toolCallId: 'c', toolName, input: { path }, effect: 'write' },
    signal: new AbortController().signal,
  })
  const judge = (way: 'check' | 'accept', rules: RuleBook) => {
    const approvals = createApprovals({ policy: 'ask', rules, ask: async () => ({ approved: true }) })
    const call = { tool: tool('get_contents', 'read_file'), input: { path: 'secret/a' } }
    const asked = request('get_contents', 'secret/a')
    return way === 'check' ? approvals.check(asked, undefined, call) : approvals.accept(asked, { approved: true }, call)
  }

  test.each(['check', 'accept'] as const)('a rule about the other name of a tool holds in `%s`', async way => {
    const deny = {
      kind: 'deny',
      text: 'read_file(secret/**)',
      from: 'x',
      tool: 'read_file',
      pattern: 'secret/**',
    } as const
    const rules = new RuleBook({ policy: 'ask', rules: [{ ...deny, negated: false }] })
    expect(await judge(way, rules)).toMatchObject({ kind: 'refuse', code: 'TOOL_NOT_ALLOWED' })
  })

  test.each(['check', 'accept'] as const)('a policy about the other name of a tool holds in `%s`', async way => {
    const policy = { default: 'ask', read_file: 'none' } as const
    expect(await judge(way, new RuleBook({ policy }))).toMatchObject({ kind: 'refuse' })
  })

  test('a rule that denies holds for the input that came with the earlier answer', async () => {
    const deny = { kind: 'deny', text: 'own(ci/**)', from: 'x', tool: 'own', pattern: 'ci/**', negated: false } as const
    const approvals = createApprovals({ policy: 'ask', rules: new RuleBook({ policy: 'ask', rules: [deny] }) })
    const answer = { approved: true, input: { path: 'ci/a' } }
    const call = { tool: tool('own'), input: { path: 'a' } }
    expect(await approvals.accept(request('own', 'a'), answer, call)).toMatchObject({ kind: 'refuse' })
  })

  test('"no, always" about one name of a tool holds for the other', async () => {
    const approvals = createApprovals({ policy: 'ask', ask: async () => ({ approved: true }) })
    const call = (name: string, aliasOf?: string) => ({ tool: tool(name, aliasOf), input: { path: 'a' } })
    const no = { approved: false, always: true }
    await approvals.accept(request('get_contents', 'a'), no, call('get_contents', 'read_file'))
    expect(await approvals.check(request('read_file', 'a'), undefined, call('read_file'))).toMatchObject({
      kind: 'refuse',
      code: 'TOOL_NOT_ALLOWED',
    })
  })
})
