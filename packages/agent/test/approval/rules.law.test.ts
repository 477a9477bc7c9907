import { type Judgement, RuleBook, type RuleTexts, type Subject } from '@argot/agent/internal'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../../../test/share-of-cases.ts'
import { collectRules } from '../../src/settings/collect-rules.ts'

const names = fc.constantFrom('read_file', 'write_file', 'git', 'fetch', 'own')
const pieces = fc.constantFrom('a', 'b', '.a', '*', '**', '?', '[ab]', '{a,b}', '..', '-x', 'a b', '$x', 'x.org')
const texts = fc.array(pieces, { minLength: 1, maxLength: 4 })
const patterns = fc.oneof(
  texts.map(parts => parts.filter(part => part !== '..').join('/')),
  texts.map(parts => parts.join(' ').replaceAll('..', 'a')),
)
const rules = fc
  .tuple(names, fc.constantFrom('', '!'), fc.option(patterns))
  .map(([name, mark, pattern]) => (pattern === null ? name : `${name}(${mark}${pattern})`))
const lists = fc.array(rules, { maxLength: 4 })
const ruleTexts: fc.Arbitrary<RuleTexts> = fc.record({ allow: lists, ask: lists, deny: lists })
const modes = fc.constantFrom('all' as const, 'ask' as const, 'readonly' as const, 'none' as const)
const subjects: fc.Arbitrary<Subject | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({
    kind: fc.constant('path' as const),
    paths: fc.array(
      texts.map(parts => parts.join('/')),
      { maxLength: 2 },
    ),
    tree: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('command' as const), words: fc.tuple(names, pieces, pieces) }),
  fc.record({ kind: fc.constant('host' as const), hosts: fc.array(pieces, { maxLength: 2 }) }),
)
const calls = fc.record({ toolName: names, effect: fc.constantFrom('read', 'write', 'exec', 'net'), subject: subjects })

const leniency: Record<Judgement['decision'], number> = { refuse: 0, ask: 1, run: 2 }
const from = <T>(value: T) => ({ value, from: 'argot.config.json' })

test('a rule that denies or asks never makes a decision more lenient', async () => {
  await fc.assert(
    fc.asyncProperty(
      modes,
      ruleTexts,
      fc.constantFrom('deny', 'ask'),
      rules,
      calls,
      async (policy, given, kind, rule, call) => {
        const more = { ...given, [kind]: [rule, ...(given[kind as 'deny'] ?? [])] }
        const judge = (flag: RuleTexts) => new RuleBook({ policy, ...collectRules({ flag }) }).judge(call)
        const [before, after] = [await judge(given), await judge(more)]
        expect(leniency[after.decision]).toBeLessThanOrEqual(leniency[before.decision])
      },
    ),
    { numRuns: shareOf(500) },
  )
})

test('the rules and the policy of a project never make a decision more lenient', async () => {
  await fc.assert(
    fc.asyncProperty(modes, ruleTexts, ruleTexts, calls, async (policy, user, project, call) => {
      const alone = new RuleBook({ policy, ...collectRules({ settings: { user: from(user) } }) })
      const both = collectRules({ settings: { user: from(user), project: from(project) } })
      const [before, after] = [await alone.judge(call), await new RuleBook({ policy, ...both }).judge(call)]
      expect(leniency[after.decision]).toBeLessThanOrEqual(leniency[before.decision])
      if ((project.allow ?? []).length > 0) expect(both.notice).toMatch(/can only ask and deny/)
    }),
    { numRuns: shareOf(500) },
  )
})

test('a rule that allows lifts no refusal and no question of another rule', async () => {
  await fc.assert(
    fc.asyncProperty(modes, ruleTexts, rules, calls, async (policy, given, rule, call) => {
      const without = await new RuleBook({ policy, ...collectRules({ flag: given }) }).judge(call)
      const flag = { ...given, allow: [rule, ...(given.allow ?? [])] }
      const withIt = await new RuleBook({ policy, ...collectRules({ flag }) }).judge(call)
      if (without.decision === 'refuse' || without.rule?.kind === 'ask') expect(withIt).toEqual(without)
      else expect(leniency[withIt.decision]).toBeGreaterThanOrEqual(leniency[without.decision])
    }),
    { numRuns: shareOf(500) },
  )
})
