import { readTasks, type Task, type TrialCase } from '@argot/agent/internal'
import { type Syntax, syntaxes } from '@argot/core/syntax'
import { describe, expect, test } from 'vitest'
import type { ScriptedReply } from '../../agent/test/model/servers/model-server.ts'
import { inProcess } from './in-process.ts'
import {
  lamp,
  MODEL,
  type Question,
  rightMove,
  serveTrial,
  talk,
  tasksIn,
  tasksOfArgot,
  toReply,
  writeCall,
} from './trial-model.ts'

/** Tries one task with a scripted model, by the real command and over HTTP. */
async function tryTask(
  source: object,
  syntax: string,
  reply: (question: Question) => ScriptedReply,
): Promise<TrialCase> {
  const folder = await tasksIn({ 'task.json': source })
  const { env } = await serveTrial(await readTasks(folder), reply)
  const args = ['trial', ...MODEL, '--tasks', folder, '--syntax', syntax, '--json']
  const { status, stdout, stderr } = await inProcess(args, { cwd: folder, env })
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout).cases[0]
}

/** What a score is made of, without what depends on the machine. */
function scoreOf({ solved, failures, wrongCalls, repairs, readerRepairs, calls }: TrialCase): object {
  return { solved, failures: failures.map(({ kind }) => kind), wrongCalls, repairs, readerRepairs, calls }
}

const set = (level: unknown, tool = 'set_lamp') => ({ calls: [{ tool, input: { level } }] })
/** A call whose level is no number; written by hand, because no syntax writes what its schema forbids. */
function brightCall(task: Task, syntax: Syntax): string {
  return writeCall(set(777).calls[0]!, task, syntax).replace('777', '"bright"')
}
const done = { text: 'The lamp is at 40.' }

/** Replies turn by turn; the last one is given from then on. */
function inTurn(...moves: readonly ((question: Question) => ScriptedReply)[]): (question: Question) => ScriptedReply {
  return question => moves[Math.min(question.turn, moves.length - 1)]!(question)
}
const right = (question: Question): ScriptedReply => toReply(set(40), question)
const answer = (question: Question): ScriptedReply => toReply(done, question)
const wrongType = (question: Question): ScriptedReply =>
  question.syntax === undefined
    ? toReply(set('bright'), question)
    : { text: brightCall(question.task, question.syntax), usage: { input: 100, output: 10 } }
const invented = (question: Question): ScriptedReply => toReply(set(40, 'lamp_wizard'), question)
const fenced = ({ task, syntax }: Question): ScriptedReply => ({
  text: `I set it:\n\n\`\`\`\`\n${writeCall(set(40).calls[0]!, task, syntax ?? syntaxes.get('hermes'))}\n\`\`\`\`\n`,
  usage: { input: 100, output: 10 },
})

const good = { solved: true, failures: [], wrongCalls: {}, repairs: 0, readerRepairs: 0, calls: 1 }

describe.each(['native', 'hermes', 'qwen3-coder'])('each fault has its score, in %s:', syntax => {
  test('none', async () => {
    expect(scoreOf(await tryTask(lamp, syntax, inTurn(right, answer)))).toEqual(good)
  })

  test('a wrong type that the model corrects is a repair', async () => {
    const one = await tryTask(lamp, syntax, inTurn(wrongType, right, answer))
    expect(scoreOf(one)).toEqual({ ...good, wrongCalls: { 'bad-input': 1 }, repairs: 1, calls: 2 })
  })

  test('a repair that is as broken as the call is none', async () => {
    const one = await tryTask(lamp, syntax, inTurn(wrongType, wrongType, answer))
    expect(scoreOf(one)).toEqual({
      ...good,
      solved: false,
      failures: ['missing-call'],
      wrongCalls: { 'bad-input': 2 },
      calls: 2,
    })
  })

  test('two broken calls and then the right one are one repair', async () => {
    const one = await tryTask(lamp, syntax, inTurn(wrongType, wrongType, right, answer))
    expect(scoreOf(one)).toEqual({ ...good, wrongCalls: { 'bad-input': 2 }, repairs: 1, calls: 3 })
  })

  test('a broken and a right call in one reply are no repair: the model had not seen the error', async () => {
    const both = (question: Question): ScriptedReply => {
      const [first, second] = [wrongType(question), right(question)]
      const text = `${first.text ?? ''}\n${second.text ?? ''}`.trim()
      return { ...first, text, calls: [...(first.calls ?? []), ...(second.calls ?? [])] }
    }
    const one = await tryTask(lamp, syntax, inTurn(both, answer))
    expect(scoreOf(one)).toEqual({ ...good, wrongCalls: { 'bad-input': 1 }, calls: 2 })
  })

  test('a forgotten call', async () => {
    const one = await tryTask(lamp, syntax, inTurn(answer))
    expect(scoreOf(one)).toEqual({ ...good, solved: false, failures: ['missing-call'], calls: 0 })
  })

  test('a call in a code block that is made when Argot asks for it', async () => {
    const one = await tryTask(lamp, syntax, inTurn(fenced, right, answer))
    expect(scoreOf(one)).toEqual({ ...good, wrongCalls: { shown: 1 }, repairs: 1 })
  })

  test('a call in a code block that is never made', async () => {
    const one = await tryTask(lamp, syntax, inTurn(fenced, answer))
    expect(scoreOf(one)).toEqual({
      ...good,
      solved: false,
      failures: ['missing-call'],
      wrongCalls: { shown: 1 },
      calls: 0,
    })
  })

  test('a call that is shown to a user who asked for none is not wrong', async () => {
    const hello = (question: Question): ScriptedReply => toReply({ text: 'Hello!' }, question)
    expect(scoreOf(await tryTask(talk, syntax, inTurn(fenced, hello)))).toEqual({ ...good, calls: 0 })
  })

  test('an answer that was given before the end', async () => {
    const early = (question: Question): ScriptedReply => {
      const reply = right(question)
      return { ...reply, text: `Now I set it to 40.\n\n${reply.text ?? ''}` }
    }
    const one = await tryTask(
      lamp,
      syntax,
      inTurn(early, question => toReply({ text: 'Done.' }, question)),
    )
    expect(scoreOf(one)).toEqual({ ...good, solved: false, failures: ['wrong-answer'] })
  })

  test('a second call', async () => {
    const one = await tryTask(lamp, syntax, inTurn(right, right, answer))
    expect(scoreOf(one)).toEqual({
      ...good,
      solved: false,
      failures: ['unexpected-call'],
      wrongCalls: { unexpected: 1 },
      calls: 2,
    })
  })

  test('a wrong value', async () => {
    const one = await tryTask(
      lamp,
      syntax,
      inTurn(question => toReply(set(41), question), right, answer),
    )
    expect(scoreOf(one)).toEqual({
      ...good,
      solved: false,
      failures: ['unexpected-call'],
      wrongCalls: { unexpected: 1 },
      calls: 2,
    })
  })

  test('an invented tool', async () => {
    const one = await tryTask(lamp, syntax, inTurn(invented, right, answer))
    expect(scoreOf(one)).toEqual({ ...good, wrongCalls: { 'unknown-tool': 1 }, repairs: 1, calls: 2 })
  })

  test('a needless call', async () => {
    const one = await tryTask(
      talk,
      syntax,
      inTurn(right, question => toReply({ text: 'Hello!' }, question)),
    )
    expect(scoreOf(one)).toEqual({
      ...good,
      solved: false,
      failures: ['unexpected-call'],
      wrongCalls: { unexpected: 1 },
    })
  })

  test('a wrong answer', async () => {
    const one = await tryTask(
      lamp,
      syntax,
      inTurn(right, question => toReply({ text: 'It is at 140.' }, question)),
    )
    expect(scoreOf(one)).toEqual({ ...good, solved: false, failures: ['wrong-answer'] })
  })

  test('a model that never comes to an end', async () => {
    const one = await tryTask(lamp, syntax, inTurn(wrongType))
    expect(scoreOf(one)).toMatchObject({ solved: false, failures: ['missing-call', 'no-answer'], repairs: 0 })
    expect(one.failures[1]!.text).toContain('limit of 5 steps')
  })

  test('a reply that is cut off', async () => {
    const one = await tryTask(
      lamp,
      syntax,
      inTurn(question => ({ ...right(question), finish: 'length' }), right, answer),
    )
    expect(scoreOf(one)).toEqual({ ...good, wrongCalls: { cut: 1 }, repairs: 1, calls: 2 })
  })

  test('tokens and steps are those that the provider counted', async () => {
    const one = await tryTask(lamp, syntax, inTurn(right, answer))
    expect(one).toMatchObject({ steps: 2, inputTokens: 200, outputTokens: 20, estimated: false })
  })

  test('tokens that the provider did not count are an estimate, and marked', async () => {
    const one = await tryTask(
      lamp,
      syntax,
      inTurn(question => ({ ...right(question), usage: { input: 0, output: 0 } }), answer),
    )
    expect(one.estimated).toBe(true)
    expect(one.inputTokens).toBeGreaterThan(110)
  })
})

const lamps = {
  ...lamp,
  prompt: 'Set the lamp to 1, to 2 and to 3.',
  calls: [1, 2, 3].map(level => ({ tool: 'set_lamp', input: { level }, output: `It is at ${level}.` })),
  allowed: [{ tool: 'set_lamp', input: { level: 0 }, output: 'It is off.' }],
  answer: ['3'],
}

describe.each([
  ['native', 1],
  ['hermes', 1],
  ['xml', 3],
] as const)('several calls in %s', (syntax, turns) => {
  /** Writes all calls that are left; a syntax with one call to a message takes the first. */
  const rest = (levels: readonly number[]) => (question: Question) =>
    question.turn < turns
      ? toReply({ calls: levels.slice(question.turn).flatMap(level => set(level).calls) }, question)
      : toReply({ text: 'It is at 3.' }, question)

  test('in one reply are as good as one by one', async () => {
    const one = await tryTask(lamps, syntax, rest([1, 2, 3]))
    expect(scoreOf(one)).toEqual({ ...good, calls: 3 })
    expect(one.steps).toBe(turns + 1)
  })

  test('must be in the order of the task', async () => {
    const one = await tryTask(lamps, syntax, rest([1, 3, 2]))
    expect(scoreOf(one)).toEqual({
      ...good,
      solved: false,
      failures: ['missing-call', 'unexpected-call'],
      wrongCalls: { unexpected: 1 },
      calls: 3,
    })
  })

  test('may be in any order if the task says so', async () => {
    const one = await tryTask({ ...lamps, order: 'any' }, syntax, rest([3, 1, 2]))
    expect(scoreOf(one)).toEqual({ ...good, calls: 3 })
  })
})

test('calls that a task allows are neither needed nor wrong', async () => {
  const first = (question: Question): ScriptedReply => toReply(set(0), question)
  const then = [1, 2, 3].map(level => (question: Question) => toReply(set(level), question))
  const one = await tryTask(
    lamps,
    'native',
    inTurn(first, ...then, question => toReply({ text: 'At 3.' }, question)),
  )
  expect(scoreOf(one)).toEqual({ ...good, calls: 4 })
})

test('an error that the task plans is no mistake of the model', async () => {
  const busy = { ...lamp, calls: [{ tool: 'set_lamp', input: { level: 40 }, error: 'Busy.' }, lamp.calls[0]] }
  expect(scoreOf(await tryTask(busy, 'native', inTurn(right, right, answer)))).toEqual({ ...good, calls: 2 })
})

test('a task has its limits of tokens and steps', async () => {
  const dear = (question: Question): ScriptedReply => ({ ...wrongType(question), usage: { input: 60_000, output: 1 } })
  const tokens = await tryTask(lamp, 'native', dear)
  expect(tokens).toMatchObject({ steps: 1, failures: [{}, { kind: 'no-answer' }] })
  expect(tokens.failures[1]!.text).toContain('of its budget of 50000')
  const steps = await tryTask({ ...lamp, maxSteps: 2 }, 'native', wrongType)
  expect(steps.steps).toBe(2)
})

test('what the reader repaired is counted apart', async () => {
  const sloppy = (): ScriptedReply => ({
    text: `<tool_call>\n{'name': 'set_lamp', 'arguments': {'level': 40,}}\n</tool_call>`,
  })
  expect(scoreOf(await tryTask(lamp, 'hermes', inTurn(sloppy, answer)))).toEqual({ ...good, readerRepairs: 1 })
})

test('a call that can’t be read is wrong', async () => {
  const broken = (): ScriptedReply => ({ calls: [{ name: 'set_lamp', input: '{"level": 4, "lev' }] })
  const one = await tryTask(lamp, 'native', inTurn(broken, right, answer))
  expect(scoreOf(one)).toEqual({ ...good, wrongCalls: { unreadable: 1 }, repairs: 1, calls: 2 })
})

/** Every task of Argot, by the command, with a model that knows what to do. */
async function tryAllTasks(names: readonly string[]): Promise<{ cases: TrialCase[] }> {
  const folder = await tasksIn({})
  const { env } = await serveTrial(tasksOfArgot, question => toReply(rightMove(question.task, question.turn), question))
  const args = ['trial', ...MODEL, '--syntax', names.join(), '--json', '--parallel', '8']
  const { status, stdout, stderr } = await inProcess(args, { cwd: folder, env })
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

describe('the tasks of Argot', () => {
  const all = process.env.TRIAL === 'all' ? syntaxes.names() : ['native', 'xml', 'caret', 'hermes']

  test('can all be solved, without a wrong call, in every syntax', async () => {
    const { cases } = await tryAllTasks(all)
    expect(cases.length).toBe(all.length * tasksOfArgot.length)
    expect(cases.filter(one => !one.solved || Object.keys(one.wrongCalls).length > 0)).toEqual([])
  }, 600_000)

  test('are forty, five in each of eight categories', () => {
    const categories = new Set(tasksOfArgot.map(({ category }) => category))
    const counts = [...categories].map(name => tasksOfArgot.filter(({ category }) => category === name).length)
    expect(counts).toEqual(Array.from({ length: 8 }, () => 5))
  })

  test('need what they say: a model that only talks solves none but those without a call', async () => {
    const folder = await tasksIn({})
    const { env } = await serveTrial(tasksOfArgot, question =>
      toReply(rightMove({ ...question.task, calls: [] }, question.turn), question),
    )
    const args = ['trial', ...MODEL, '--syntax', 'native', '--json']
    const { cases } = JSON.parse((await inProcess(args, { cwd: folder, env })).stdout) as { cases: TrialCase[] }
    const solved = cases.filter(one => one.solved).map(({ task }) => task)
    expect(solved).toEqual(tasksOfArgot.filter(({ calls }) => calls.length === 0).map(({ name }) => name))
  })
})
