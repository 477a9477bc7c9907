import type { Message, ToolInvocation } from '@argot/core'

/** A call in one state, as stored in `fixtures/calls`. */
export interface CallFixture {
  id: string
  title: string
  call: ToolInvocation
  streaming?: boolean
  /** Shown closed, whatever the default is. */
  closed?: boolean
  started?: boolean
  /** In milliseconds. */
  ago?: number
}

export interface TurnFixture {
  message: Message
  /** The work of agents started by calls, by call key. */
  sub: Record<string, { calls: ToolInvocation[] }>
  /** When it began, and the moment it shows. */
  epoch: number
  now: number
}

export interface Fixtures {
  states: CallFixture[]
  bodies: CallFixture[]
  kinds: CallFixture[]
  approvals: CallFixture[]
  turn: TurnFixture
}

export async function loadFixtures(): Promise<Fixtures> {
  const names = ['states', 'bodies', 'kinds', 'approvals', 'turn']
  const [states, bodies, kinds, approvals, turn] = await Promise.all(names.map(load))
  return shiftToNow({ states, bodies, kinds, approvals, turn } as Fixtures, Date.now())
}

async function load(name: string): Promise<unknown> {
  return (await fetch(`./${name}.json`)).json()
}

/** The same fixtures, with running calls started a moment ago, whenever the page is opened. */
export function shiftToNow(fixtures: Fixtures, now: number): Fixtures {
  const shift = now - fixtures.turn.now
  const { message, sub } = fixtures.turn
  return {
    ...fixtures,
    states: fixtures.states.map(one =>
      one.ago === undefined ? one : { ...one, call: { ...one.call, startedAt: now - one.ago } },
    ),
    turn: {
      message: { ...message, parts: message.parts.map(part => shiftPart(part, shift)) },
      sub: Object.fromEntries(
        Object.entries(sub).map(([key, { calls }]) => [key, { calls: calls.map(call => shiftCall(call, shift)) }]),
      ),
      epoch: fixtures.turn.epoch + shift,
      now,
    },
  }
}

function shiftPart(part: Message['parts'][number], shift: number): Message['parts'][number] {
  return part.type === 'dynamic-tool' ? { ...part, toolInvocation: shiftCall(part.toolInvocation, shift) } : part
}

function shiftCall(call: ToolInvocation, shift: number): ToolInvocation {
  const moved = { ...call }
  if (call.startedAt !== undefined) moved.startedAt = call.startedAt + shift
  if (call.endedAt !== undefined) moved.endedAt = call.endedAt + shift
  return moved
}
