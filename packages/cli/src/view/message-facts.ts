import { isToolPart, type Message } from '@argot/core'
import { english } from '@argot/core/stream'
import { oneLine } from './safe-pieces.ts'
import { plural, readUsage, type TokenUse } from './tally.ts'

export function getUsage({ metadata }: Message): TokenUse {
  return readUsage(metadata)
}

/** For example "1,204 tokens (1,000 in, 204 out)" and "cost 0.0031". Omits unknown values. */
export function describeUsage({ total = 0, input, output, cost = 0, estimated }: TokenUse): string[] {
  const about = estimated === true ? 'about ' : ''
  const split =
    input === undefined || output === undefined ? '' : ` (${english.number(input)} in, ${english.number(output)} out)`
  return [
    ...(total > 0 ? [`${about}${plural(total, 'token')}${split}`] : []),
    ...(cost > 0 ? [`cost ${about}${Number(cost.toPrecision(3))}`] : []),
  ]
}

export function describeMessage(message: Message): string[] {
  const { role, createdAt, metadata, parts } = message
  const { model } = (metadata ?? {}) as { model?: unknown }
  const steps = countSteps(message)
  const time = createdAt === undefined ? undefined : describeTime(Date.parse(createdAt))
  return [
    role,
    ...(typeof model === 'string' && model !== '' ? [oneLine(model, 100)] : []),
    ...(time === undefined ? [] : [time]),
    ...(role === 'assistant' && parts.length > 0 ? [plural(steps, 'step')] : []),
    ...describeUsage(getUsage(message)),
    ...describeEnd(message),
    ...describeFeedback(message),
  ]
}

/** The first step of a message may have no marker. */
export function countSteps({ parts }: Message): number {
  const marks = parts.filter(({ type }) => type === 'step-start').length
  return parts[0] === undefined || parts[0].type === 'step-start' ? marks : marks + 1
}

export function countCalls({ parts }: Message): number {
  return parts.filter(isToolPart).length
}

/** In the reader's time zone. */
export function describeTime(time: number): string | undefined {
  if (!Number.isFinite(time)) return undefined
  const date = new Date(time)
  const padTwo = (value: number): string => String(value).padStart(2, '0')
  const day = [date.getFullYear(), padTwo(date.getMonth() + 1), padTwo(date.getDate())].join('-')
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(padTwo).join(':')}`
}

/** For example "rated bad: Too short." */
function describeFeedback({ metadata }: Message): string[] {
  const { value, reason } = (metadata?.feedback ?? {}) as { value?: unknown; reason?: unknown }
  if (value !== 'good' && value !== 'bad') return []
  return [typeof reason === 'string' && reason !== '' ? `rated ${value}: ${oneLine(reason, 200)}` : `rated ${value}`]
}

function describeEnd({ status, finishReason }: Message): string[] {
  if (status === 'cancelled') return ['stopped']
  if (status === 'error') return ['failed']
  if (finishReason === 'length') return ['cut off by the token limit']
  return finishReason === 'content-filter' ? ['cut off by the content filter'] : []
}
