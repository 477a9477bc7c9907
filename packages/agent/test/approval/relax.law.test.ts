import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RuleBook, type RuleTexts, type Subject } from '@argot/agent/internal'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import type { ApprovalMode, ApprovalRequest } from '../../src/approval/approval.ts'
import { Approvals, type CheckedCall, type Verdict } from '../../src/approval/approvals.ts'
import type { Relaxation } from '../../src/approval/relaxation.ts'
import { collectRules } from '../../src/settings/collect-rules.ts'

/** A folder with `in` and `inside`, of which `in` is relaxed; `in/way-out` leads to the other. */
let root: string
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'argot-relax-')))
  for (const name of ['in', 'inside']) await mkdir(join(root, name))
  await symlink(join(root, 'inside'), join(root, 'in', 'way-out'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const names = fc.constantFrom('write_file', 'git', 'fetch', 'own')
const paths = fc.constantFrom('in/a', 'in/../in/b/c', 'inside/a', 'in/../inside/a', 'a', '../a', 'in/way-out/a', 'in')
const rules = fc
  .tuple(names, fc.option(fc.constantFrom('in/**', '**', '!in/a', 'x.org', 'push*')))
  .map(([name, pattern]) => (pattern === null ? name : `${name}(${pattern})`))
const lists = fc.array(rules, { maxLength: 2 })
const ruleTexts: fc.Arbitrary<RuleTexts> = fc.record({ allow: lists, ask: lists, deny: lists })
const modes = fc.constantFrom('all' as const, 'ask' as const, 'readonly' as const, 'none' as const)
const subjects: fc.Arbitrary<Subject | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ kind: fc.constant('path' as const), paths: fc.array(paths, { maxLength: 2 }) }),
  fc.record({ kind: fc.constant('command' as const), words: fc.tuple(names, fc.constantFrom('push', 'log')) }),
  fc.record({ kind: fc.constant('host' as const), hosts: fc.constant(['x.org']) }),
)
/** Most calls are such that they could be relaxed, so that what forbids it is met alone too. */
const rarely = fc.integer({ min: 0, max: 9 }).map(one => one === 9)
const mostly = <Value>(usual: Value, others: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 4 }, { arbitrary: others, weight: 1 })
const worlds = fc.record({
  policy: mostly<ApprovalMode>('ask', modes),
  project: mostly<ApprovalMode | undefined>(undefined, modes),
  rules: ruleTexts,
  isAwaited: rarely,
  roots: fc.constantFrom(['.'], ['in'], ['in', 'inside']),
  call: fc.record({
    toolName: names,
    effect: fc.constantFrom('read' as const, 'write' as const, 'exec' as const, 'net' as const),
    subject: subjects,
    isConfined: fc.boolean(),
    foreign: rarely,
    interrupted: rarely,
    inReasoning: rarely,
    mustAsk: mostly<string | undefined>(undefined, fc.constant('It is a document.')),
  }),
})
type World = typeof worlds extends fc.Arbitrary<infer Value> ? Value : never

/** What becomes of the call, with and without. A question is answered with `park`, as a server does. */
async function decide(world: World, relax?: () => Relaxation | undefined): Promise<Verdict> {
  const { policy, project, call, isAwaited } = world
  const book = new RuleBook({
    policy,
    projects: project === undefined ? [] : [{ value: project, from: 'argot.config.json' }],
    ...collectRules({ flag: world.rules }),
    roots: world.roots.map(name => join(root, name)),
  })
  const { toolName, effect, subject, isConfined, foreign, interrupted, inReasoning, mustAsk } = call
  const approvals = new Approvals({
    policy,
    rules: book,
    ask: () => Promise.resolve(undefined),
    awaited: new Set(isAwaited ? ['q'] : []),
    relax,
  })
  const request = {
    ...{ approvalId: 'q', toolCallId: 'c', toolName, effect, input: {}, foreign, interrupted, inReasoning },
    signal: new AbortController().signal,
    ...(mustAsk !== undefined && { mustAsk }),
  } satisfies ApprovalRequest
  const tool: CheckedCall['tool'] = {
    ...{ name: toolName, effect, isConfined, validate: input => ({ ok: true, input }) },
    ...(subject !== undefined && { subject: () => subject }),
  }
  return approvals.check(request, undefined, { tool, input: {} })
}

const relaxation = (): Relaxation => ({ folder: join(root, 'in'), until: 1 })

test('relaxed approvals answer questions of the policy alone: every other decision is what it was', async () => {
  let relaxed = 0
  await fc.assert(
    fc.asyncProperty(worlds, async world => {
      const [before, after] = [await decide(world), await decide(world, relaxation)]
      if (before.kind !== 'park') expect(after).toEqual(before)
      if (before.kind !== 'park' || after.kind === 'park') return
      relaxed++
      expect(after).toEqual({ kind: 'run', relaxation: relaxation() })
      const { call, project, isAwaited, policy, roots } = world
      const { foreign, interrupted, inReasoning, mustAsk, effect, isConfined, subject } = call
      expect({ foreign, inReasoning, mustAsk, isAwaited, policy }).toEqual({
        ...{ foreign: false, inReasoning: false, mustAsk: undefined, isAwaited: false, policy: 'ask' },
      })
      expect(interrupted && effect !== 'read').toBe(false)
      expect(project ?? 'all').toBe('all')
      if (effect === 'exec') expect([isConfined, roots]).toEqual([true, ['in']])
      const book = new RuleBook({
        policy,
        ...collectRules({ flag: { deny: world.rules.deny, ask: world.rules.ask } }),
        roots: roots.map(name => join(root, name)),
      })
      expect((await book.judge({ toolName: call.toolName, effect, subject })).rule).toBeUndefined()
      if (effect !== 'exec' && subject?.kind === 'path') {
        expect(subject.paths.length).toBeGreaterThan(0)
        if (roots[0] === '.') for (const path of subject.paths) expect(path).toMatch(/^in(?:\/a|\/\.\.\/in\/b\/c)?$/)
      }
    }),
    { numRuns: shareOf(1500) },
  )
  expect(relaxed).toBeGreaterThan(0)
})

test('what is over, or never was, changes nothing; one that ends while the disk is asked does not count', async () => {
  const call = {
    toolName: 'own' as const,
    effect: 'write' as const,
    subject: { kind: 'path' as const, paths: ['in/a'] },
  }
  const rest = { isConfined: false, foreign: false, interrupted: false, inReasoning: false, mustAsk: undefined }
  const world: World = {
    policy: 'ask',
    project: undefined,
    rules: { allow: [], ask: [], deny: [] },
    isAwaited: false,
    roots: ['.'],
    call: { ...call, ...rest },
  }
  expect(await decide(world, relaxation)).toMatchObject({ kind: 'run' })
  expect(await decide(world, () => undefined)).toEqual({ kind: 'park' })
  const looks = [relaxation(), undefined]
  expect(await decide(world, () => looks.shift())).toEqual({ kind: 'park' })
})
