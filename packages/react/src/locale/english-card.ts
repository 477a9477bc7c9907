import { english } from '@argot/core/stream'
import type { ClosedCardLocale } from './chat-locale.ts'

const { number } = english

/** A closed card's English words. Whatever it opens loads its own. */
export const englishCard: ClosedCardLocale = {
  call: english,
  card: {
    copy: 'Copy',
    copied: 'Copied',
    notCopied: 'Not copied',
    copyOf: name => `Copy ${name}`,
    input: 'Input',
    output: 'Output',
    modelWrote: 'what the model wrote',
    partialOutput: 'its earlier output',
    stop: 'Stop',
    runAgain: 'Run again',
    openLink: place => `Open ${place}`,
    repaired: tries => `failed, then passed on try ${number(tries)}`,
    runAgainNote: 'It may repeat what it already did.',
    edited: 'as you changed it',
    showModelInput: "Show the model's own input",
    hideModelInput: "Hide the model's own input",
    copyJson: 'Copy JSON',
    calls: count => plural(count, 'call', 'calls'),
    inParallel: count => `${plural(count, 'call', 'calls')} in parallel`,
    readFiles: count => `Read ${plural(count, 'file', 'files')}`,
    noNewsSince: time => `no news since ${time}`,
    answeredElsewhere: 'answered elsewhere',
    thought: duration => (duration === undefined ? 'Thought' : `Thought for ${duration}`),
    thinking: 'Thinking…',
    answeredBy: (approved, name, time) =>
      `${approved ? 'Approved' : 'Denied'} by ${name ?? 'you'}${time === undefined ? '' : `, ${time}`}`,
    clock,
    named: (action, call) => `${action}: ${call}`,
    after: duration => `after ${duration}`,
  },
}

export function plural(count: number, one: string, many: string): string {
  return `${number(count)} ${count === 1 ? one : many}`
}

/** The local time of day: "14:05:40". */
export function clock(milliseconds: number): string {
  const date = new Date(milliseconds)
  const two = (value: number) => String(value).padStart(2, '0')
  return Number.isNaN(date.getTime()) ? '' : [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
}
