import type { ApprovalAnswer, ApprovalPolicy, ApprovalRequest, Ask } from '@argot/agent'
import { createApprovals } from '@argot/agent/workshop'
import { describe, expect, test } from 'vitest'

let count = 0

function request(change: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const toolCallId = `call-${++count}`
  const { signal } = new AbortController()
  return {
    approvalId: `ap-${count}`,
    toolCallId,
    toolName: 'write_file',
    input: {},
    effect: 'write',
    signal,
    ...change,
  }
}

/** An `ask` whose answers the test gives, and what was asked so far. */
function person() {
  const asked: (ApprovalRequest & { answer(answer: unknown): void; fail(error: unknown): void })[] = []
  const ask: Ask = one =>
    new Promise((resolve, reject) => {
      asked.push({ ...one, answer: answer => resolve(answer as ApprovalAnswer | undefined), fail: reject })
    })
  return { ask, asked }
}

const never: Ask = () => Promise.reject(new Error('must not be asked'))

describe('without a question', () => {
  test('what the policy allows runs', async () => {
    const approvals = createApprovals({ policy: 'ask', ask: never })
    expect(await approvals.check(request({ effect: 'read' }))).toEqual({ kind: 'run' })
    expect(await createApprovals({ policy: 'all' }).check(request())).toEqual({ kind: 'run' })
  })

  test.each<[ApprovalPolicy, string]>([
    ['none', "`write_file` didn't run: its approval policy is `none`, which allows no call."],
    [
      { write_file: 'readonly', default: 'all' },
      "`write_file` didn't run: its approval policy is `readonly`, which allows only tools that read; this one changes files.",
    ],
  ])('what the policy %j refuses is refused with its name', async (policy, reason) => {
    const verdict = await createApprovals({ policy, ask: never }).check(request())
    expect(verdict).toEqual({ kind: 'refuse', code: 'TOOL_NOT_ALLOWED', reason })
  })

  test('where nobody can be asked, the refusal says how to allow the tool', async () => {
    expect(await createApprovals({ policy: 'ask' }).check(request())).toEqual({
      kind: 'refuse',
      code: 'TOOL_NEEDS_APPROVAL',
      reason:
        "`write_file` didn't run: it needs approval, and no one can answer in this run. Allow it with `--approve all` or `--approve ask,write_file=all`, or run the document in a terminal.",
    })
  })

  test.each(['default', 'a,b=all', 'a b'])('a name that the flag cannot carry is not suggested: %s', async toolName => {
    const verdict = await createApprovals({ policy: 'ask' }).check(request({ toolName }))
    expect(verdict).toMatchObject({ reason: expect.not.stringContaining('--approve ask,') })
  })

  test('the transcript is not told of a question that is not asked', async () => {
    let asking = 0
    const tell = () => void asking++
    await createApprovals({ policy: 'all', ask: never }).check(request(), tell)
    await createApprovals({ policy: 'none', ask: never }).check(request(), tell)
    await createApprovals({ policy: 'ask' }).check(request(), tell)
    expect(asking).toBe(0)
  })
})

describe('a question', () => {
  test('carries the request, and its answer comes back with edited input', async () => {
    const { ask, asked } = person()
    const one = request({ input: { path: 'a' }, title: 'Write' })
    const verdict = createApprovals({ policy: 'ask', ask }).check(one)
    expect(asked[0]).toMatchObject({
      approvalId: one.approvalId,
      toolName: 'write_file',
      input: { path: 'a' },
      title: 'Write',
    })
    asked[0]!.answer({ approved: true, input: { path: 'b' }, by: 'ada' })
    expect(await verdict).toEqual({ kind: 'answer', answer: { approved: true, input: { path: 'b' }, by: 'ada' } })
  })

  test('that is denied gives the reason, and no input', async () => {
    const { ask, asked } = person()
    const verdict = createApprovals({ policy: 'ask', ask }).check(request())
    asked[0]!.answer({ approved: false, reason: 'Not there.', input: { path: 'b' } })
    expect(await verdict).toEqual({ kind: 'answer', answer: { approved: false, reason: 'Not there.' } })
  })

  test('that nobody answers now parks the run, and takes no answer afterwards', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const one = request()
    const verdict = approvals.check(one)
    asked[0]!.answer(undefined)
    expect(await verdict).toEqual({ kind: 'park' })
    expect(approvals.answer(one.approvalId, { approved: true })).toBe(false)
  })

  test('that cannot be asked refuses the call with the reason', async () => {
    const fails = createApprovals({ policy: 'ask', ask: () => Promise.reject(new Error('the terminal is gone')) })
    const throws: Ask = () => {
      throw new Error('the terminal is gone')
    }
    for (const approvals of [fails, createApprovals({ policy: 'ask', ask: throws })]) {
      expect(await approvals.check(request())).toEqual({
        kind: 'refuse',
        code: 'TOOL_NEEDS_APPROVAL',
        reason: "`write_file` didn't run: asking for approval failed (the terminal is gone).",
      })
    }
  })

  test.each([null, true, 'yes', {}, { approved: 'true' }, { approved: 1 }, { approved: true, always: 'yes' }])(
    'whose answer is %j has none',
    async answer => {
      const { ask, asked } = person()
      const approvals = createApprovals({ policy: 'ask', ask })
      const one = request()
      const verdict = approvals.check(one)
      expect(approvals.answer(one.approvalId, answer as ApprovalAnswer)).toBe(false)
      expect(approvals.pending).toHaveLength(1)
      asked[0]!.answer(answer)
      expect(await verdict).toMatchObject({ kind: 'refuse', code: 'TOOL_NEEDS_APPROVAL' })
    },
  )

  test('is asked only after the one before it is answered', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const verdicts = ['a', 'b', 'c'].map(toolName => approvals.check(request({ toolName })))
    for (const toolName of ['a', 'b', 'c']) {
      const last = asked.at(-1)!
      expect(last.toolName).toBe(toolName)
      expect(asked).toHaveLength(['a', 'b', 'c'].indexOf(toolName) + 1)
      last.answer({ approved: toolName !== 'b' })
      await verdicts[asked.length - 1]
    }
    expect(await Promise.all(verdicts)).toMatchObject([
      { answer: { approved: true } },
      { answer: { approved: false } },
      { answer: { approved: true } },
    ])
  })

  test('that fails or is parked does not keep the next one from being asked', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const verdicts = [approvals.check(request()), approvals.check(request()), approvals.check(request())]
    asked[0]!.fail(new Error('no'))
    await verdicts[0]
    asked[1]!.answer(undefined)
    await verdicts[1]
    asked[2]!.answer({ approved: true })
    expect((await Promise.all(verdicts)).map(({ kind }) => kind)).toEqual(['refuse', 'park', 'answer'])
  })

  test('is announced before it is asked, when an answer is already accepted', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const one = request()
    const verdict = approvals.check(one, () => {
      expect(approvals.pending).toEqual([{ ...one, always: one.toolName }])
      expect(approvals.answer(one.approvalId, { approved: true })).toBe(true)
    })
    expect(await verdict).toMatchObject({ kind: 'answer', answer: { approved: true } })
    expect(asked).toEqual([])
  })

  test('that cannot be announced is not asked', async () => {
    const approvals = createApprovals({ policy: 'ask', ask: never })
    const verdict = await approvals.check(request(), () => {
      throw new Error('the disk is full')
    })
    expect(verdict).toMatchObject({ kind: 'refuse', reason: expect.stringContaining('the disk is full') })
    expect(approvals.pending).toEqual([])
  })
})

describe('stopping the run', () => {
  test('ends the question that is shown and those that wait, and asks nothing more', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const run = new AbortController()
    const verdicts = [1, 2].map(() => approvals.check(request({ signal: run.signal })))
    run.abort()
    for (const verdict of await Promise.all(verdicts)) {
      expect(verdict).toMatchObject({ kind: 'refuse', reason: expect.stringContaining('the run was stopped') })
    }
    expect(asked[0]!.signal.aborted).toBe(true)
    expect(approvals.pending).toEqual([])
    expect(await approvals.check(request({ signal: run.signal }))).toMatchObject({ kind: 'refuse' })
    expect(asked).toHaveLength(1)
  })

  test('comes before an answer that is given too late', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const run = new AbortController()
    const verdict = approvals.check(request({ signal: run.signal }))
    run.abort()
    asked[0]!.answer({ approved: true, always: true })
    expect(await verdict).toMatchObject({ kind: 'refuse' })
    await new Promise(setImmediate)
    void approvals.check(request())
    expect(approvals.pending).toHaveLength(1)
  })
})

describe('an answer from elsewhere', () => {
  test('is accepted once, for any question that waits, and takes the question away from who was asked', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const [first, second] = [request({ toolName: 'a' }), request({ toolName: 'b' })]
    const verdicts = [approvals.check(first), approvals.check(second)]
    expect(approvals.pending).toMatchObject([first, second])

    expect(approvals.answer(second.approvalId, { approved: false })).toBe(true)
    expect(approvals.answer(second.approvalId, { approved: true })).toBe(false)
    expect(approvals.answer(first.approvalId, { approved: true })).toBe(true)
    expect(asked).toHaveLength(1)
    expect(asked[0]!.signal.aborted).toBe(true)
    asked[0]!.answer({ approved: false })
    expect(await Promise.all(verdicts)).toMatchObject([{ answer: { approved: true } }, { answer: { approved: false } }])
    expect(approvals.pending).toEqual([])
  })

  test('goes on to the next question though the first `ask` never returns', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const first = request()
    void approvals.check(first)
    const second = approvals.check(request())
    approvals.answer(first.approvalId, { approved: true })
    asked[1]!.answer({ approved: true })
    expect(await second).toMatchObject({ kind: 'answer' })
  })

  test.each(['nothing', '__proto__', ''])('is refused for a request that does not exist: %j', id => {
    expect(createApprovals({ policy: 'ask', ask: never }).answer(id, { approved: true })).toBe(false)
  })

  test('is not accepted by another run', async () => {
    const { ask } = person()
    const one = request()
    void createApprovals({ policy: 'ask', ask }).check(one)
    expect(createApprovals({ policy: 'ask', ask }).answer(one.approvalId, { approved: true })).toBe(false)
  })

  test('cannot meet a second question with the id of an earlier one', async () => {
    const { ask } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const one = request()
    const first = approvals.check(one)
    const same = { ...one, toolName: 'rm' }
    expect(await approvals.check(same)).toMatchObject({ kind: 'refuse', code: 'TOOL_NEEDS_APPROVAL' })
    approvals.answer(one.approvalId, { approved: true })
    expect(await first).toMatchObject({ kind: 'answer' })
    expect(await approvals.check(same)).toMatchObject({ kind: 'refuse', code: 'TOOL_NEEDS_APPROVAL' })
  })
})

describe('always', () => {
  test('approves every later call of this tool, and of no other, without the edited input', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const first = approvals.check(request())
    asked[0]!.answer({ approved: true, always: true, input: { path: 'edited' } })
    expect(await first).toMatchObject({ answer: { input: { path: 'edited' } } })
    expect(await approvals.check(request())).toEqual({ kind: 'run' })
    void approvals.check(request({ toolName: 'rg' }))
    await new Promise(setImmediate)
    expect(asked[1]).toMatchObject({ toolName: 'rg' })
  })

  test('denies every later call of this tool with the reason', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const first = approvals.check(request())
    asked[0]!.answer({ approved: false, always: true, reason: 'Keep off.' })
    await first
    expect(await approvals.check(request())).toEqual({
      kind: 'refuse',
      code: 'TOOL_NOT_ALLOWED',
      reason: "`write_file` didn't run: all its calls were denied for this run. Reason: Keep off.",
    })
  })

  test.each([true, false])('answers what waits for the same tool without asking (approved: %s)', async approved => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const same = [1, 2, 3].map(() => approvals.check(request()))
    void approvals.check(request({ toolName: 'rg' }))
    asked[0]!.answer({ approved, always: true, ...(approved ? { input: 1 } : {}) })
    const verdicts = await Promise.all(same)
    await new Promise(setImmediate)
    expect(verdicts.slice(1)).toEqual([1, 2].map(() => ({ kind: 'answer', answer: { approved, always: true } })))
    expect(asked.map(({ toolName }) => toolName)).toEqual(['write_file', 'rg'])
  })

  test('holds for a tool called `__proto__` alone', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const first = approvals.check(request({ toolName: '__proto__' }))
    asked[0]!.answer({ approved: true, always: true })
    await first
    expect(await approvals.check(request({ toolName: '__proto__' }))).toEqual({ kind: 'run' })
    void approvals.check(request({ toolName: 'constructor' }))
    await new Promise(setImmediate)
    expect(approvals.pending).toHaveLength(1)
  })

  test('does not outlive the run', async () => {
    const { ask, asked } = person()
    const first = createApprovals({ policy: 'ask', ask }).check(request())
    asked[0]!.answer({ approved: true, always: true })
    await first
    void createApprovals({ policy: 'ask', ask }).check(request())
    expect(asked).toHaveLength(2)
  })
})

describe('a call that an earlier run was interrupted in', () => {
  test('is asked about even where the policy is `all` or always was said', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'all', ask })
    const first = approvals.check(request({ interrupted: true }))
    asked[0]!.answer({ approved: true, always: true })
    expect(await first).toMatchObject({ kind: 'answer' })
    void approvals.check(request({ interrupted: true }))
    await new Promise(setImmediate)
    expect(asked).toHaveLength(2)
    expect(await approvals.check(request())).toEqual({ kind: 'run' })
  })

  test('is not covered by an approval of others, but by a denial', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const verdicts = [approvals.check(request()), approvals.check(request({ interrupted: true }))]
    asked[0]!.answer({ approved: true, always: true })
    await verdicts[0]
    expect(approvals.pending).toHaveLength(1)
    asked[1]!.answer({ approved: false, always: true })
    expect(await verdicts[1]).toMatchObject({ answer: { approved: false } })
    expect(await approvals.check(request())).toMatchObject({ kind: 'refuse', code: 'TOOL_NOT_ALLOWED' })
  })

  test('only runs again without a question if it reads', async () => {
    const approvals = createApprovals({ policy: 'all' })
    expect(await approvals.check(request({ interrupted: true, effect: 'read' }))).toEqual({ kind: 'run' })
    expect(await approvals.check(request({ interrupted: true }))).toMatchObject({
      kind: 'refuse',
      code: 'TOOL_NEEDS_APPROVAL',
      reason: expect.stringContaining('its effect is unknown'),
    })
  })
})

describe('a call that is written inside reasoning', () => {
  const reading = { effect: 'read', toolName: 'read_file', inReasoning: true } as const

  test('is asked about under `ask` although it only reads, unless a rule allows it', async () => {
    const { ask, asked } = person()
    const approvals = createApprovals({ policy: 'ask', ask })
    const first = approvals.check(request(reading))
    await new Promise(setImmediate)
    asked[0]!.answer({ approved: true, always: true })
    expect(await first).toMatchObject({ kind: 'answer', answer: { approved: true } })
    expect(await approvals.check(request(reading))).toEqual({ kind: 'run' })
    expect(await approvals.check(request({ ...reading, inReasoning: false }))).toEqual({ kind: 'run' })
    expect(asked).toHaveLength(1)
  })

  test.each<[ApprovalPolicy, string]>([
    ['all', 'run'],
    ['readonly', 'run'],
    ['none', 'refuse'],
    [{ default: 'all', read_file: 'ask' }, 'refuse'],
  ])('has the verdict of the policy %j if no one can be asked', async (policy, kind) => {
    expect(await createApprovals({ policy }).check(request(reading))).toMatchObject({ kind })
  })
})
