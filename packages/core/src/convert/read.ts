import { fromUIMessage, type UIMessage } from '../ai-sdk/ui-message.ts'
import type { ChatDocument } from '../chatmd/document.ts'
import type { MatchedRecords } from '../chatmd/element-record.ts'
import { expand } from '../chatmd/expand/expand.ts'
import type { Resolver } from '../chatmd/expand/resolver.ts'
import { parseChatMd } from '../chatmd/parse.ts'
import type { Tree } from '../chatmd/reader/tree.ts'
import type { Message } from '../message/message.ts'
import { defined } from '../source/defined.ts'
import type { Diagnostic } from '../source/diagnostic.ts'
import { syntaxes } from '../syntax/registry.ts'
import { readCalloutTranscript } from './callout-transcript.ts'
import type { TranscriptFormat } from './format.ts'
import { readJsonl } from './jsonl.ts'
import { readSyntaxTranscript } from './syntax-transcript.ts'

export interface ReadTranscriptOptions {
  file?: string
  /** Without it, a document's payloads and helpers are reported as not resolved. */
  resolver?: Resolver
  records?: (tree: Tree) => MatchedRecords
}

export interface ReadTranscriptResult {
  messages: Message[]
  /** Problems in the text; `error` means that it could not be read completely. */
  diagnostics: Diagnostic[]
  /** Content other than messages, in words. */
  besides: string[]
  /** A document's declarations before its messages, in words and as source text. */
  declared: string[]
  preamble: string
}

const noPreamble = { declared: [], preamble: '' }

/** Reads a conversation. Never throws because of the text; throws `SYNTAX_UNKNOWN` for an unknown format. */
export async function readTranscript(
  text: string,
  format: TranscriptFormat,
  options: ReadTranscriptOptions = {},
): Promise<ReadTranscriptResult> {
  switch (format) {
    case 'chatmd':
      return readDocument(text, options)
    case 'callout':
      return { messages: readCalloutTranscript(text), diagnostics: [], besides: [], ...noPreamble }
    case 'ui-messages':
      return readUIMessages(text)
    case 'jsonl':
      return { ...readJsonl(text), besides: [], ...noPreamble }
    default:
      return { messages: readSyntaxTranscript(text, syntaxes.get(format)), diagnostics: [], besides: [], ...noPreamble }
  }
}

async function readDocument(
  text: string,
  { file, resolver = noResolver, records }: ReadTranscriptOptions,
): Promise<ReadTranscriptResult> {
  const { document, diagnostics } = parseChatMd(text, file === undefined ? {} : { file })
  const expanded = await expand(document, { resolver, ...defined({ records: records?.(document.tree) }) })
  const besides: string[] = []
  const declared: string[] = []
  if (document.config !== undefined) declared.push('the `<config>`')
  if (document.tools.length > 0)
    declared.push(`${document.tools.length} \`<tool>\` declaration${document.tools.length === 1 ? '' : 's'}`)
  const helpers = expanded.messages
    .flatMap(({ pieces }) => pieces)
    .filter(({ origin }) => ['doc', 'img', 'agent'].includes(origin.by) && origin.pending !== true)
  const agents = expanded.messages.flatMap(({ pieces }) => pieces).filter(({ origin }) => origin.pending === true)
  if (agents.length > 0)
    besides.push(
      agents.length === 1
        ? "the answer of an `<agent>`: conversion doesn't run agents, so its place is empty"
        : `the answers of ${agents.length} \`<agent>\` elements: conversion doesn't run agents, so their places are empty`,
    )
  if (helpers.length > 0)
    besides.push(`${helpers.length} \`<doc>\`, \`<img>\` or \`<agent>\` elements, replaced by their content`)
  return {
    messages: expanded.messages.filter(({ sent }) => sent).map(({ message }) => message),
    diagnostics: [...diagnostics, ...expanded.diagnostics],
    besides,
    declared,
    preamble: getPreamble(document, text),
  }
}

function getPreamble({ config, tools, metaRefine }: ChatDocument, text: string): string {
  const nodes = [config, ...tools].flatMap(one => (one === undefined ? [] : [one.node]))
  const elements = nodes.sort((a, b) => a.start - b.start).map(({ start, end }) => text.slice(start, end).trim())
  if (metaRefine) elements.unshift('<!-- META_REFINE -->')
  return elements.map(element => `${element}\n`).join('')
}

const noResolver: Resolver = {
  resolve: async ({ src }) => ({
    ok: false,
    problem: { code: 'CHATMD_NOT_RESOLVED', message: `\`${src}\` was not read: there is no resolver.` },
  }),
}

function readUIMessages(text: string): ReadTranscriptResult {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return toFailedResult(`The text is not JSON: ${(error as Error).message}`)
  }
  const list = Array.isArray(value) ? value : (value as { messages?: unknown } | null)?.messages
  if (!Array.isArray(list)) return toFailedResult('The text is not a list of messages.')
  const diagnostics: Diagnostic[] = []
  const messages: Message[] = []
  list.forEach((entry: unknown, index) => {
    if (isUIMessage(entry))
      messages.push(fromUIMessage({ ...entry, parts: entry.parts.filter(part => typeof part?.type === 'string') }))
    else diagnostics.push(toSourceError(`Message ${index + 1} has no \`id\`, \`role\` or \`parts\` and was left out.`))
  })
  return { messages, diagnostics, besides: [], ...noPreamble }
}

function isUIMessage(value: unknown): value is UIMessage {
  const message = value as Partial<UIMessage> | null
  return typeof message?.id === 'string' && typeof message.role === 'string' && Array.isArray(message.parts)
}

function toFailedResult(message: string): ReadTranscriptResult {
  return { messages: [], diagnostics: [toSourceError(message)], besides: [], ...noPreamble }
}

function toSourceError(message: string): Diagnostic {
  return { code: 'CONVERT_BAD_SOURCE', severity: 'error', message }
}
