import type { Role } from '../../message/message.ts'
import type { DocumentConfig } from '../document.ts'
import type { Problems } from '../problems.ts'
import { findAttribute } from '../reader/attribute.ts'
import type { FrozenPlaces } from './frozen-places.ts'
import { type DocumentParameter, isLessonPlaceholder, splitTemplate, type TemplatePart } from './params.ts'

/** Text as written, or a parameter's value. The offsets are always those in the original text. */
export interface FilledPart extends TemplatePart {
  isValue: boolean
}

/**
 * How to treat parameter placeholders: as text, filled in, or filled in with text in which the lesson fills nothing.
 */
export type FillMode = 'none' | 'plain' | 'literal'

/** A model's own text is never filled in. System texts are filled in again, with the tools. */
export function getFillMode(role: Role): FillMode {
  if (role === 'assistant' || role === 'tool') return 'none'
  return role === 'user' ? 'plain' : 'literal'
}

interface TemplateFile {
  file: string | undefined
  problems: Problems
}

/** A value is text: nothing in it is read as markup or as a placeholder. */
export class Filler {
  readonly #declaration: { config: DocumentConfig; openFile: TemplateFile } | undefined
  readonly #parameters: ReadonlyMap<string, DocumentParameter>
  readonly #values: ReadonlyMap<string, string>
  readonly #frozen: FrozenPlaces
  readonly #usedNames: Set<string> = new Set()

  constructor(
    declaration: { config: DocumentConfig; openFile: TemplateFile } | undefined,
    values: ReadonlyMap<string, string>,
    frozen: FrozenPlaces,
  ) {
    this.#declaration = declaration
    this.#parameters = new Map(declaration?.config.params?.map(one => [one.name, one]))
    this.#values = values
    this.#frozen = frozen
  }

  /** `offset`: where `text` starts in its file. A placeholder without a value stays as written. */
  async fill(text: string, offset: number, openFile: TemplateFile): Promise<FilledPart[]> {
    const parts: FilledPart[] = []
    for (const part of splitTemplate(text)) {
      const value = part.name === undefined ? undefined : await this.#value(part.name, part, offset, openFile)
      const last = parts.at(-1)
      if (value !== undefined) parts.push({ ...part, text: value, isValue: true })
      else if (last?.isValue === false) {
        last.text += part.text
        last.end = part.end
      } else parts.push({ ...part, isValue: false })
    }
    return parts
  }

  reportUnused(): void {
    if (this.#declaration === undefined) return
    const { config, openFile } = this.#declaration
    const at = findAttribute(config.node.attributes, 'params')
    if (at === undefined) return
    for (const name of this.#parameters.keys()) {
      if (this.#usedNames.has(name)) continue
      const message = `No prompt in the document uses the parameter \`${name}\`.`
      const cure = `Write \`{{${name}}}\` in a message, or remove it from \`params\`.`
      openFile.problems.warn('CHATMD_UNUSED_PARAM', at.start, at.end, message, cure)
    }
  }

  async #value(name: string, part: TemplatePart, offset: number, openFile: TemplateFile): Promise<string | undefined> {
    const parameter = this.#parameters.get(name)
    if (parameter === undefined) {
      if (!isLessonPlaceholder(name)) this.#reportUndeclared(name, part, offset, openFile)
      return undefined
    }
    this.#usedNames.add(name)
    const at = { start: offset + part.start, openEnd: offset + part.end }
    const where = this.#frozen.next({ kind: 'param', src: name, local: true, html: 'keep' }, at, openFile.file)
    const frozen = await this.#frozen.recall(where, false)
    if (frozen !== undefined && 'text' in frozen) return frozen.text
    const value = this.#values.get(name) ?? parameter.default
    if (value !== undefined) this.#frozen.keep(where, { ok: true, text: value, file: name })
    return value
  }

  #reportUndeclared(name: string, { start, end }: TemplatePart, offset: number, { problems }: TemplateFile): void {
    // Without the attribute, a placeholder is ordinary text.
    if (this.#declaration?.config.params === undefined) return
    const message = `The document has no parameter \`${name}\`, so this text stays unchanged.`
    const cure = 'Declare it in `params` of `<config>`, or put the text into a RAW block.'
    problems.warn('CHATMD_UNDECLARED_PARAM', offset + start, offset + end, message, cure)
  }
}
