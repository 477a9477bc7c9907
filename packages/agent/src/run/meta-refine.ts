import { resolve } from 'node:path'
import type { ChatDocument } from '@argot/core/chatmd'
import { canAskModel, createAskModel } from '../refine/ask-model.ts'
import { getPrompts, refineDocument, replacePrompts } from '../refine/refine-document.ts'
import { readRefinement, refinedPath, writeRefinement } from '../refine/stored-refinement.ts'
import { findConfigFolder } from '../settings/config-folder.ts'
import { makeStateKey, readStateKey } from '../store/state-key.ts'
import { lineDiff } from '../tool/line-diff.ts'
import { createRedactor } from '../tool/output/redact.ts'
import { toMessage } from '../words/to-message.ts'
import type { DocumentOptions } from './document/document-options.ts'
import type { DocumentPlan } from './document/plan-document.ts'

interface RefineSource {
  file: string
  text: string
}

/** A comment in the document or the environment requests it. */
function wantsRefinement({ metaRefine }: ChatDocument, env: Readonly<Record<string, string | undefined>>): boolean {
  const isOn = (value: string | undefined): boolean => /^(?:1|true|yes|on)$/i.test(value?.trim() ?? '')
  return isOn(env.ARGOT_META_REFINE) || isOn(env.OCHAT_META_REFINE) || metaRefine
}

/**
 * A document's source with its prompts refined by its own model. Undefined if they stay unchanged. Computed once,
 * stored beside the document, and reused as long as its prompts are the same. The document itself isn't changed.
 */
export async function refineSource(
  source: RefineSource,
  { document, talk }: DocumentPlan,
  options: DocumentOptions,
): Promise<string | undefined> {
  const { env = process.env, cwd = process.cwd(), notice = () => {}, signal } = options
  if (!wantsRefinement(document, env)) return undefined
  const file = resolve(cwd, source.file)
  const prompts = getPrompts(source.text)
  const key = await makeStateKey(options.configFolder ?? findConfigFolder({ env }), env)
  // The transcript may be another file, and its later turns must send what its first one sent.
  const keep = async (text: string): Promise<void> => {
    for (const one of new Set([file, ...(options.protect ?? [])])) {
      if (key !== undefined) await writeRefinement(one, prompts, text, key)
    }
  }
  const refinedText = await findRefined(source, file, key)
  if (refinedText !== undefined) {
    notice(`Using the refined prompts from ${refinedPath(source.file)}.`)
    await keep(refinedText).catch((error: unknown) =>
      notice(`META_REFINE: they couldn't be saved: ${toMessage(error)}`),
    )
    return refinedText
  }
  if (isAnswered(document)) return undefined
  if (!canAskModel(talk.model)) {
    notice(cannotRefine(talk))
    return undefined
  }
  try {
    const ask = createAskModel({ ...talk, signal, redact: createRedactor(env) })
    const { text, accepted, objection } = await refineDocument(source.text, ask)
    if (accepted === 0) {
      notice(`META_REFINE: found no better prompts (${objection ?? 'none was proposed'}), so they are sent unchanged.`)
      return undefined
    }
    await keep(text)
    notice(`The prompts were refined and saved to ${refinedPath(source.file)}:\n${lineDiff(source.text, text)}`)
    return text
  } catch (error) {
    signal?.throwIfAborted()
    notice(`META_REFINE: the prompts were not refined and are sent unchanged: ${toMessage(error)}`)
    return undefined
  }
}

/** What `refineSource` will return for a document, found without calling a model or writing anything. */
export async function foreseeRefinement(
  source: RefineSource,
  { document, talk }: DocumentPlan,
  options: DocumentOptions,
): Promise<{ text?: string; notice?: string }> {
  const { env = process.env, cwd = process.cwd() } = options
  if (!wantsRefinement(document, env)) return {}
  const key = await readStateKey(options.configFolder ?? findConfigFolder({ env }), env)
  const text = await findRefined(source, resolve(cwd, source.file), key)
  if (text !== undefined) return { text, notice: `Using the refined prompts from ${refinedPath(source.file)}.` }
  if (isAnswered(document)) return {}
  if (!canAskModel(talk.model)) return { notice: cannotRefine(talk) }
  return {
    notice: `META_REFINE: the run will ask ${talk.model.name} to refine the prompts first. Shown here are the document's own prompts.`,
  }
}

/** The document with the prompts that an earlier run refined, if its prompts are the same. */
async function findRefined(
  { text }: RefineSource,
  file: string,
  key: Uint8Array | undefined,
): Promise<string | undefined> {
  const refinement = key && (await readRefinement(file, getPrompts(text), key))
  return refinement === undefined ? undefined : replacePrompts(text, getPrompts(refinement))
}

/** The answers belong to the author's own prompts, so those stay unchanged. */
function isAnswered({ entries }: ChatDocument): boolean {
  return entries.some(entry => entry.type === 'message' && entry.role === 'assistant')
}

function cannotRefine({ model }: DocumentPlan['talk']): string {
  return `META_REFINE: the model ${model.name} can't refine prompts, so they are sent unchanged.`
}
