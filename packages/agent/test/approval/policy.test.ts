import type { ApprovalPolicy } from '@argot/agent'
import type { ApprovalMode } from '@argot/agent/internal'
import { effectivePolicy, parseApproval } from '@argot/agent/workshop'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approval/decide.ts'
import { stricter } from '../../src/approval/stricter-policy.ts'

const modes: ApprovalMode[] = ['none', 'readonly', 'ask', 'all']
const effects = ['read', 'write', 'exec', 'net'] as const

/** Names that a policy and a call are likely to share, ordinary and not. */
const names = ['rg', 'write_file', 'default', '__proto__', 'constructor', 'hasOwnProperty', 'toString', '']
const anyMode = fc.constantFrom(...modes)
const anyPolicy: fc.Arbitrary<ApprovalPolicy> = fc.oneof(
  anyMode,
  fc.array(fc.tuple(fc.constantFrom(...names), anyMode)).map(pairs => Object.fromEntries(pairs)),
)
const anyTool = fc.record({ name: fc.constantFrom(...names), effect: fc.constantFrom(...effects) })

/** 0 is the strictest. */
function leniency(policy: ApprovalPolicy, tool: Parameters<typeof decide>[1]): number {
  return ['refuse', 'ask', 'run'].indexOf(decide(policy, tool))
}

describe('decide', () => {
  test.each<[ApprovalMode, string, string]>([
    ['all', 'run', 'run'],
    ['ask', 'run', 'ask'],
    ['readonly', 'run', 'refuse'],
    ['none', 'refuse', 'refuse'],
  ])('under `%s` a tool that reads: %s, any other: %s', (mode, read, other) => {
    const decisions = effects.map(effect => decide(mode, { name: 'x', effect }))
    expect(decisions).toEqual([read, other, other, other])
  })

  test('a tool that is named has its own mode, the others that of `default`, else `ask`', () => {
    const policy = { rg: 'all', default: 'none' } as const
    expect(decide(policy, { name: 'rg', effect: 'exec' })).toBe('run')
    expect(decide(policy, { name: 'fd', effect: 'exec' })).toBe('refuse')
    expect(decide({ rg: 'all' }, { name: 'fd', effect: 'exec' })).toBe('ask')
  })

  test('a tool called `default` has the mode of the tools that are not named', () => {
    expect(decide({ default: 'none', rg: 'all' }, { name: 'default', effect: 'write' })).toBe('refuse')
    expect(decide({ rg: 'all' }, { name: 'default', effect: 'write' })).toBe('ask')
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'a tool called `%s` finds nothing in the prototype of a policy',
    name => {
      expect(decide({ default: 'readonly' }, { name, effect: 'write' })).toBe('refuse')
      const own = JSON.parse(`{ "${name}": "all", "default": "none" }`) as ApprovalPolicy
      expect(decide(own, { name, effect: 'write' })).toBe('run')
    },
  )

  test('what is inherited does not count', () => {
    const policy = Object.create({ rg: 'all', default: 'all' }) as ApprovalPolicy
    expect(decide(policy, { name: 'rg', effect: 'exec' })).toBe('ask')
  })

  test('a mode that does not exist refuses', () => {
    expect(decide('yes' as ApprovalMode, { name: 'rg', effect: 'read' })).toBe('refuse')
    expect(decide(stricter('yes' as ApprovalMode, 'all'), { name: 'rg', effect: 'read' })).toBe('refuse')
  })
})

describe('stricter', () => {
  test('decides for every tool as the stricter of the two does', () => {
    fc.assert(
      fc.property(anyPolicy, anyPolicy, anyTool, (a, b, tool) => {
        expect(leniency(stricter(a, b), tool)).toBe(Math.min(leniency(a, tool), leniency(b, tool)))
      }),
    )
  })

  test('is written as one mode where that says the same', () => {
    expect(stricter('ask', { rg: 'all' })).toBe('ask')
    expect(stricter({ rg: 'none', default: 'all' }, 'ask')).toEqual({ rg: 'none', default: 'ask' })
  })
})

describe('parseApproval', () => {
  test.each<[string, ApprovalPolicy]>([
    ['ask', 'ask'],
    ['all', 'all'],
    ['none', 'none'],
    ['readonly', 'readonly'],
    ['ask,write_file=all,rg=none', { default: 'ask', write_file: 'all', rg: 'none' }],
    ['rg=all', { rg: 'all' }],
    [' rg = all , readonly ', { rg: 'all', default: 'readonly' }],
    ['default=all', 'all'],
    ['a=b=all', { 'a=b': 'all' }],
  ])('reads %j', (text, expected) => {
    const policy = parseApproval(text)
    expect(typeof policy === 'string' ? policy : { ...policy }).toEqual(expected)
  })

  test('reads names that are keys of every object as names of tools', () => {
    expect(Object.entries(parseApproval('ask,__proto__=all,constructor=none'))).toEqual([
      ['default', 'ask'],
      ['__proto__', 'all'],
      ['constructor', 'none'],
    ])
  })

  test.each([
    ['', 'A mode is missing.'],
    ['ask,', 'A mode is missing.'],
    ['rg=', 'A mode is missing.'],
    ['yes', 'There is no mode `yes`.'],
    ['ALL', 'There is no mode `ALL`.'],
    ['rg=toString', 'There is no mode `toString`.'],
    ['=all', 'A tool name is missing before `=all`.'],
    ['ask,all', 'It sets the mode for all other tools twice.'],
    ['ask,default=all', 'It sets the mode for all other tools twice.'],
    ['rg=all,rg=none', 'It names `rg` twice.'],
  ])('refuses %j', (text, message) => {
    const expected = { code: 'SETTINGS_BAD_VALUE', message: expect.stringContaining(message) }
    expect(() => parseApproval(text)).toThrow(expect.objectContaining(expected))
  })
})

describe('effectivePolicy', () => {
  const file = '/p/argot.config.json'
  const from = (value: ApprovalPolicy) => ({ value, from: file })

  test('is `ask` where nobody says anything', () => {
    expect(effectivePolicy({})).toEqual({ policy: 'ask' })
    expect(effectivePolicy({ default: 'none' })).toEqual({ policy: 'none' })
  })

  test('the flag beats the user, and a flag that is silent about a tool leaves it to the user', () => {
    expect(effectivePolicy({ flag: 'all', user: from('none') })).toEqual({ policy: 'all' })
    expect(effectivePolicy({ user: from('readonly') })).toEqual({ policy: 'readonly' })
    expect(effectivePolicy({ flag: { rg: 'all' }, user: from({ fd: 'all', default: 'none' }) })).toEqual({
      policy: { rg: 'all', fd: 'all', default: 'none' },
    })
    expect(effectivePolicy({ flag: { default: 'ask' }, user: from({ fd: 'all' }) })).toEqual({ policy: 'ask' })
  })

  test.each(modes.flatMap(own => modes.flatMap(theirs => names.map(name => [own, theirs, name] as const))))(
    'under `%s` a project that says `%s`, for all or for `%s`, allows nothing more',
    (own, theirs, name) => {
      const projects: ApprovalPolicy[] = [theirs, JSON.parse(`{ ${JSON.stringify(name)}: "${theirs}" }`)]
      const givens = [{ flag: own }, { user: from(own) }, { default: own }, { flag: { [name]: own } }]
      for (const project of projects) {
        for (const given of givens) {
          const before = effectivePolicy(given).policy
          const after = effectivePolicy({ ...given, project: from(project) }).policy
          for (const tool of names.flatMap(each => effects.map(effect => ({ name: each, effect })))) {
            expect(leniency(after, tool)).toBeLessThanOrEqual(leniency(before, tool))
          }
        }
      }
    },
  )

  test('no project allows more, and what it forbids is forbidden, whatever the others say', () => {
    const maybe = fc.option(anyPolicy, { nil: undefined })
    fc.assert(
      fc.property(maybe, maybe, anyPolicy, anyTool, (flag, user, project, tool) => {
        const given = { flag, user: user && from(user) }
        const { policy } = effectivePolicy({ ...given, project: from(project) })
        const silent = typeof project === 'string' ? project : { default: 'all' as const, ...project }
        const least = Math.min(leniency(effectivePolicy(given).policy, tool), leniency(silent, tool))
        expect(leniency(policy, tool)).toBe(least)
      }),
    )
  })

  test('a project that names one tool leaves the others as they are', () => {
    expect(effectivePolicy({ user: from('all'), project: from({ rg: 'none' }) })).toEqual({
      policy: { rg: 'none', default: 'all' },
    })
  })

  test('a project that allows less than the flag is told, with what changed', () => {
    const all = effectivePolicy({ flag: 'all', project: from('readonly') })
    expect(all.notice).toBe(
      `\`${file}\` allows less than \`--approve\`, and a project's settings can only make approvals stricter: every tool is \`readonly\` instead of \`all\`.`,
    )
    const one = effectivePolicy({ flag: { rg: 'all', default: 'ask' }, project: from({ rg: 'none', default: 'all' }) })
    expect(one.notice).toMatch(/: `rg` is `none` instead of `all`\.$/)
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`t${i}`, 'none' as const]))
    expect(effectivePolicy({ flag: 'all', project: from(many) }).notice).toMatch(/, 3 more tools are stricter\.$/)
  })

  test('there is nothing to tell without a flag, or where nothing is stricter', () => {
    expect(effectivePolicy({ user: from('all'), project: from('none') }).notice).toBeUndefined()
    expect(effectivePolicy({ flag: 'ask', project: from('all') }).notice).toBeUndefined()
    expect(effectivePolicy({ flag: 'ask', project: from({ rg: 'ask' }) }).notice).toBeUndefined()
  })
})
