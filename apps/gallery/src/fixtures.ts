import type { Message, ToolInvocation } from 'argot'
import approvalsJson from '../../../fixtures/calls/approvals.json' with { type: 'json' }
import bodiesJson from '../../../fixtures/calls/bodies.json' with { type: 'json' }
import statesJson from '../../../fixtures/calls/states.json' with { type: 'json' }
import turnJson from '../../../fixtures/calls/turn.json' with { type: 'json' }

/** A call in one state, as the files in `fixtures/calls` have it. */
export interface CallFixture {
  id: string
  title: string
  call: ToolInvocation
  /** Its message is still streaming. */
  streaming?: boolean
  /** Shown closed, whatever the built-in behaviour is. */
  closed?: boolean
  /** It began so many milliseconds ago. */
  ago?: number
}

export interface TurnFixture {
  message: Message
  /** What the agents do that calls run, by the key of the call. */
  sub: Record<string, { calls: ToolInvocation[] }>
  /** When it began, and the moment that it shows. */
  epoch: number
  now: number
}

export const states: CallFixture[] = (statesJson as unknown as CallFixture[]).map(begun)
export const bodies: CallFixture[] = bodiesJson as unknown as CallFixture[]
export const approvals: CallFixture[] = approvalsJson as unknown as CallFixture[]
export const turn: TurnFixture = turnJson as unknown as TurnFixture

/** Calls that run have begun a moment ago, whenever the page is opened. */
function begun(fixture: CallFixture): CallFixture {
  if (fixture.ago === undefined) return fixture
  return { ...fixture, call: { ...fixture.call, startedAt: Date.now() - fixture.ago } }
}
