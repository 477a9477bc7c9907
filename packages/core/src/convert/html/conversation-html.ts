import { isCorrection } from '../../message/correction.ts'
import { describeCall } from '../../message/describe-call.ts'
import { getDeciderName } from '../../message/get-decider-name.ts'
import { isToolPart, type Message, type MessagePart } from '../../message/message.ts'
import { isSummary } from '../../message/summary.ts'
import type { ToolInvocation } from '../../message/tool-invocation.ts'
import { visibleLine, visibleText } from '../../message/visible-text.ts'
import { escapeHtml } from './escape-html.ts'
import { type ParseMarkdown, writeMarkdown } from './markdown-html.ts'

export function writeConversation(title: string, messages: readonly Message[], parse: ParseMarkdown): string {
  const articles = messages.map(message => writeMessage(message, parse)).join('\n')
  return `<main><h1>${escapeHtml(visibleLine(title))}</h1>\n${articles}\n</main>`
}

function writeMessage({ role, parts, status, errorText }: Message, parse: ParseMarkdown): string {
  const author = role === 'user' ? 'You' : role.slice(0, 1).toUpperCase() + role.slice(1)
  const isPlain = role === 'user' || role === 'assistant'
  const ending =
    status === 'error'
      ? `<p class="fail">${escapeHtml(errorText ?? 'The run failed.')}</p>`
      : status === 'cancelled'
        ? dim('Stopped')
        : ''
  const body = parts.map(part => writePart(part, role === 'user', parse)).join('')
  return `<article class="${isPlain ? role : 'other'}" aria-label="${escapeHtml(author)}">${isPlain ? '' : dim(author)}${body}${ending}</article>`
}

function writePart(part: MessagePart, isUser: boolean, parse: ParseMarkdown): string {
  if (isToolPart(part)) return writeCall(part.toolInvocation)
  if (isSummary(part)) {
    const { replaces, text } = part.data
    return `<details><summary class="dim">Turns 1–${escapeHtml(String(replaces))} are summarised for the model</summary>${pre(text)}</details>`
  }
  if (isCorrection(part)) return dim(`Argot to the model: ${visibleLine(part.data.text)}`)
  switch (part.type) {
    case 'text': {
      if (part.text.trim() === '' || part.phase === 'remainder') return ''
      const text = isUser
        ? `<p class="plain">${escapeHtml(part.text)}</p>`
        : `<div>${writeMarkdown(part.text, parse)}</div>`
      return `<div class="${part.phase === 'commentary' ? 'text dim' : 'text'}">${text}</div>`
    }
    case 'reasoning':
      return `<details><summary class="dim">Thought</summary>${pre(part.text)}</details>`
    case 'file': {
      const name = visibleLine(part.filename ?? part.mediaType)
      return isPicture(part.url) ? writePicture(part.url, name) : dim(`File ${name}`)
    }
    case 'source-url':
      return dim(visibleLine(part.title ?? part.url))
    default:
      return ''
  }
}

const marks: Readonly<Record<string, string>> = {
  done: '✓',
  failed: '✕',
  broken: '✕',
  denied: '⊘',
  stopped: '■',
  interrupted: '■',
  asking: '●',
}

/** Uses the same words as the page and the terminal. */
function writeCall(call: ToolInvocation): string {
  const { state, verb, subject, result, duration, reason, milliseconds } = describeCall(call)
  const fail = state === 'failed' || state === 'broken' ? ' fail' : ''
  const facts = [result, (milliseconds ?? 0) >= 1000 ? duration : undefined].filter(Boolean).join(' · ')
  const diff = readDiff(call)
  const body = [
    dim(visibleLine(call.toolName)),
    call.input === undefined ? '' : pre(visibleText(toText(call.input))),
    diff === undefined ? '' : writeDiff(diff),
    call.state === 'output-available' && call.output !== undefined ? writeOutput(call.output) : '',
    call.errorText === undefined ? '' : pre(call.errorText, 'fail'),
    call.approval?.approved === undefined ? '' : dim(describeAnswer(call)),
  ]
  const head = `<span class="mark${fail}" aria-hidden="true">${marks[state] ?? '○'}</span><b>${escapeHtml(verb)}</b> <code>${escapeHtml(subject ?? '')}</code><span class="result${fail}">${escapeHtml(facts)}</span>`
  const why = reason === undefined ? '' : pre(reason, 'why fail')
  return `<div class="call"><details><summary>${head}</summary><div class="body">${body.join('')}</div></details>${why}</div>`
}

function describeAnswer(call: ToolInvocation): string {
  const { approved, reason } = call.approval ?? {}
  const name = getDeciderName(call)
  const who = name === undefined ? '' : ` by ${name}`
  return `${approved === true ? 'Approved' : 'Denied'}${who}${reason === undefined ? '' : `: ${reason}`}`
}

function writeOutput(value: unknown): string {
  return typeof value === 'string' && isPicture(value) ? writePicture(value, 'Output') : pre(toText(value))
}

function isPicture(url: string): boolean {
  return /^data:image\//.test(url)
}

function writePicture(url: string, name: string): string {
  return `<img src="${escapeHtml(url)}" alt="${escapeHtml(name)}">`
}

function writeDiff(text: string): string {
  const lines = text.split('\n').map(line => {
    const kind = /^\+(?!\+\+)/.test(line) ? ' class="add"' : /^-(?!--)/.test(line) ? ' class="del"' : ''
    return `<span${kind}>${escapeHtml(visibleText(line))}\n</span>`
  })
  return `<pre class="diff">${lines.join('')}</pre>`
}

function readDiff({ details }: ToolInvocation): string | undefined {
  const diff: unknown =
    typeof details === 'object' && details !== null && Object.hasOwn(details, 'diff')
      ? (details as { diff: unknown }).diff
      : undefined
  return typeof diff === 'string' ? diff : undefined
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** HTML drops the first line break in a `<pre>`, so a text that starts with one gets another. */
function pre(text: string, name?: string): string {
  return `<pre${name === undefined ? '' : ` class="${name}"`}>${text.startsWith('\n') ? '\n' : ''}${escapeHtml(text)}</pre>`
}

function dim(text: string): string {
  return `<p class="dim">${escapeHtml(text)}</p>`
}
