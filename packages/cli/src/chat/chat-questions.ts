import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApprovalAnswer, ApprovalRequest } from '@argot/agent'
import { type ClientCall, type ClientOutput, createWhole, type TrustQuestion } from '@argot/agent/internal'
import { visibleLine } from '@argot/core/stream/internal'
import {
  type ApprovalChoice,
  approvalChoices,
  approvalHead,
  defaultChoice,
  effects,
  shortName,
} from '../ask/approval-words.ts'
import { describeCommand, type TrustChoice, trustChoices, trustWords } from '../ask/ask-trust.ts'
import { chooseParts } from '../ask/choose-parts.ts'
import { describeCall, describeWhole, parameterSection } from '../ask/describe-call.ts'
import { openEditor, readEditedInput, visibleJson } from '../ask/edit-input.ts'
import { fitSections, type QuestionSection, wholeSections } from '../ask/fit-sections.ts'
import { readQuestion, toOutput } from '../ask/read-question.ts'
import { screenSize } from '../ask/screen-size.ts'
import type { Paint } from '../io/paint.ts'
import { wrapWords } from '../io/wrap-rows.ts'
import type { Terminal } from '../view/screen.ts'
import { MenuPanel } from './menu-panel.ts'
import type { Panel } from './panel.ts'
import { TextPanel } from './text-panel.ts'

export interface QuestionContext {
  output: Terminal
  paint: Paint
  env: Readonly<Record<string, string | undefined>>
  print(rows: readonly string[]): void
  /**
   * Shows a panel until it is answered or the signal aborts. A follow-up is a question that the user just requested.
   */
  ask<T>(
    panel: (done: (answer: T | undefined) => void) => Panel,
    signal: AbortSignal,
    isFollowUp?: boolean,
  ): Promise<T | undefined>
  /** Shows rows that don't fit on the screen. False if the user may not have seen all of them. */
  page(rows: readonly string[], signal: AbortSignal): Promise<boolean>
  lend<T>(work: (onKilled: () => void) => Promise<T>): Promise<T>
  untilShown(id: string): Promise<void>
  /** The rule applies for the rest of the chat. */
  allow(rule: string): void
}

const letters: Record<ApprovalChoice, string> = {
  yes: 'y',
  part: 'p',
  tell: 't',
  no: 'n',
  all: 's',
  always: 'a',
  reason: 'd',
  edit: 'e',
  later: 'l',
}

const trustLetters: Record<TrustChoice, string> = { no: 'n', all: 's', once: 'y', remember: 'a' }

/** Rows that the question and the composer's frame need, besides the answers. */
const AROUND_ROWS = 4

export class ChatQuestions {
  readonly #context: QuestionContext
  readonly #signal: () => AbortSignal
  #queue: Promise<unknown> = Promise.resolve()

  constructor(context: QuestionContext, signal: () => AbortSignal) {
    this.#context = context
    this.#signal = signal
  }

  readonly approve = (request: ApprovalRequest): Promise<ApprovalAnswer | undefined> =>
    this.#inTurn(async () => {
      await this.#context.untilShown(request.approvalId)
      let wasShown = false
      this.#printCall(request)
      while (!request.signal.aborted) {
        const { isCut } = this.#fit(request)
        const items = approvalChoices(request, isCut, wasShown, 'chat').map(({ value, label }) => ({
          value,
          label,
          hotkey: letters[value],
        }))
        const choice = await this.#context.ask<ApprovalChoice>(
          done =>
            new MenuPanel({
              title: `Run ${shortName(request.toolName)}? ${effects[request.effect]}`,
              items,
              selected: defaultChoice(request, isCut),
              done,
            }),
          request.signal,
        )
        if (choice === undefined || choice === 'later') return undefined
        if (choice === 'all') wasShown = (await this.#showAll(request)) || wasShown
        else {
          const answer = await this.#act(choice, request)
          if (answer !== 'again') return answer
        }
      }
      return undefined
    })

  readonly answer = (call: ClientCall): Promise<ClientOutput | undefined> =>
    this.#inTurn(async () => {
      await this.#context.untilShown(call.toolCallId)
      const { ask } = this.#context
      const question = readQuestion(call)
      if (question === undefined) {
        const name = shortName(call.toolName)
        this.#printSections(
          [`The model called ${name}, which runs elsewhere.`],
          [parameterSection('input', call.input)],
        )
        const title = `What is the result of ${name}? Enter text or JSON.`
        const text = await ask<string>(done => new TextPanel({ title, done }), call.signal)
        return text === undefined ? undefined : toOutput(call, text)
      }
      const title = visibleLine(question.question).slice(0, 2000)
      if (question.options.length === 0) return output(await this.#type(title, call.signal))
      for (;;) {
        const choice = await ask<number | 'other' | 'none'>(
          done =>
            new MenuPanel<number | 'other' | 'none'>({
              title,
              items: [
                ...question.options.map((option, value) => ({
                  value,
                  label: visibleLine(option).slice(0, 200),
                  hotkey: value < 9 ? String(value + 1) : undefined,
                })),
                { value: 'other', label: 'Something else …', hotkey: 'o' },
                { value: 'none', label: 'No answer: the model continues without one', hotkey: 'n' },
              ],
              selected: 0,
              done,
            }),
          call.signal,
        )
        if (choice === undefined) return undefined
        if (choice === 'none') return { errorText: 'The user does not want to answer this.' }
        if (typeof choice === 'number') return { output: question.options[choice] }
        const other = await this.#type(title, call.signal, true)
        if (other !== undefined) return output(other)
      }
    })

  readonly trust = (question: TrustQuestion): Promise<boolean | 'once'> =>
    this.#inTurn(async () => {
      const signal = this.#signal()
      const { columns } = screenSize(this.#context.output)
      const { whole, offer } = trustWords(question)
      const head = [`${visibleLine(question.file)} ${whole}`]
      const sections = describeCommand(question)
      const { isCut } = this.#printSections(head, sections)
      let wasShown = !isCut
      while (!signal.aborted) {
        const items = trustChoices(question, isCut, wasShown).map(({ value, label }) => ({
          value,
          label: label.replace('for this run', 'for this message'),
          hotkey: trustLetters[value],
        }))
        const choice = await this.#context.ask<TrustChoice>(
          done => new MenuPanel({ title: offer, items, selected: 'no', done }),
          signal,
        )
        if (choice !== 'all') return choice === 'remember' ? true : choice === 'once' ? 'once' : false
        if (await this.#context.page([...head, ...wholeSections(sections, columns)], signal)) wasShown = true
      }
      return false
    })

  readonly param = (name: string): Promise<string | undefined> =>
    this.#inTurn(() => this.#type(`Value of ${visibleLine(name)}:`, this.#signal()))

  async #act(
    choice: Exclude<ApprovalChoice, 'later' | 'all'>,
    request: ApprovalRequest,
  ): Promise<ApprovalAnswer | 'again'> {
    const { signal, input, always, problem } = request
    switch (choice) {
      case 'yes':
        return { approved: true }
      case 'always':
        if (always !== undefined) this.#context.allow(always)
        return { approved: true, always: true }
      case 'part':
        return this.#chooseParts(request)
      case 'no':
        return { approved: false }
      case 'tell':
        return { approved: false, reason: `${problem} Read the file again.` }
      case 'reason': {
        const title = 'Why not? The model will see this.'
        const reason = await this.#context.ask<string>(
          done => new TextPanel({ title, mayBeEmpty: true, done }),
          signal,
          true,
        )
        if (reason === undefined) return 'again'
        return reason === '' ? { approved: false } : { approved: false, reason }
      }
      case 'edit': {
        const edited = await this.#edit(request).catch((error: Error) => {
          this.#context.print([this.#context.paint(`The editor failed: ${visibleLine(error.message)}`, 'red')])
          return undefined
        })
        if (edited === undefined) return 'again'
        const isSame = JSON.stringify(edited.input) === JSON.stringify(input)
        return isSame ? { approved: true } : { approved: true, input: edited.input }
      }
    }
  }

  #chooseParts(request: ApprovalRequest): Promise<ApprovalAnswer | 'again'> {
    const { paint, output, print } = this.#context
    return chooseParts(request, screenSize(output).columns - 2, ({ title, rows }) => {
      print(rows.map(row => paintDiff(row, paint)))
      const items = [
        { value: true, label: 'Apply it', hotkey: 'y' },
        { value: false, label: 'Skip it', hotkey: 'n' },
      ]
      return this.#context.ask<boolean>(
        done => new MenuPanel({ title, items, selected: true, done }),
        request.signal,
        true,
      )
    })
  }

  /** Edits in the editor, or in the composer's place if none is set, until the tool accepts the input. */
  async #edit(request: ApprovalRequest): Promise<{ input: unknown } | undefined> {
    const editor = this.#context.env.VISUAL || this.#context.env.EDITOR
    let source = visibleJson(request.input, editor ? 2 : undefined)
    for (let problem = ''; ; ) {
      const text = editor
        ? await this.#openEditor(editor, source, request.signal)
        : await this.#context.ask<string>(
            done => new TextPanel({ title: `${problem} The input, as JSON:`.trim(), text: source, done }),
            request.signal,
            true,
          )
      if (text === undefined) return undefined
      const edited = await readEditedInput(text, request)
      if ('value' in edited) return { input: edited.value }
      problem = edited.problem
      source = text
      if (!editor) continue
      const again = await this.#context.ask<boolean>(
        done =>
          new MenuPanel({
            title: `${problem} Edit it again?`,
            items: [
              { value: true, label: 'Yes', hotkey: 'y' },
              { value: false, label: 'No', hotkey: 'n' },
            ],
            selected: true,
            done,
          }),
        request.signal,
        true,
      )
      if (again !== true) return undefined
    }
  }

  #openEditor(editor: string, text: string, signal: AbortSignal): Promise<string> {
    return this.#context.lend(onKilled => editText(editor, { name: 'input.json', text: `${text}\n` }, onKilled, signal))
  }

  #fit(request: ApprovalRequest): { rows: string[]; isCut: boolean } {
    const size = screenSize(this.#context.output)
    const head = approvalHead(request, size)
    const room = Math.max(3, size.rows - head.length - size.answers - AROUND_ROWS)
    return fitSections(describeCall(request), size.columns - 2, room)
  }

  #printCall(request: ApprovalRequest): void {
    const { paint, output, print } = this.#context
    const head = approvalHead(request, screenSize(output))
    print([...head.map(row => paint(row, 'bold')), ...this.#fit(request).rows.map(row => paintDiff(row, paint))])
  }

  #printSections(head: readonly string[], sections: readonly QuestionSection[]): { isCut: boolean } {
    const { paint, output, print } = this.#context
    const { columns, rows: height, answers } = screenSize(output)
    const words = head.flatMap(line => wrapWords(line, columns - 2))
    const { rows, isCut } = fitSections(
      sections,
      columns - 2,
      Math.max(3, height - words.length - answers - AROUND_ROWS),
    )
    print([...words.map(row => paint(row, 'bold')), ...rows])
    return { isCut }
  }

  #showAll(request: ApprovalRequest): Promise<boolean> {
    const { columns } = screenSize(this.#context.output)
    const head = approvalHead(request, { columns, isSmall: false })
    return this.#context.page([...head, ...wholeSections(describeWhole(request), columns)], request.signal)
  }

  #type(title: string, signal: AbortSignal, isFollowUp = false): Promise<string | undefined> {
    return this.#context.ask<string>(done => new TextPanel({ title, done }), signal, isFollowUp)
  }

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#queue.then(ask)
    this.#queue = answer.catch(() => {})
    return answer
  }
}

function output(text: string | undefined): ClientOutput | undefined {
  return text === undefined ? undefined : { output: text }
}

function paintDiff(row: string, paint: Paint): string {
  if (row.startsWith('│ +')) return `│ ${paint(row.slice(2), 'green')}`
  if (row.startsWith('│ -')) return `│ ${paint(row.slice(2), 'red')}`
  return row.startsWith('│ @@') ? `│ ${paint(row.slice(2), 'cyan')}` : row
}

/** Lets the user edit a text in their editor. `onKilled` is called if the editor couldn't restore the terminal. */
export async function editText(
  editor: string,
  { name, text }: { name: string; text: string },
  onKilled: () => void,
  signal?: AbortSignal,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'argot-chat-'))
  try {
    const file = join(folder, name)
    createWhole(file, text, { mode: 0o600 })
    const { wasKilled } = await openEditor(editor, file, signal)
    if (wasKilled) onKilled()
    return await readFile(file, 'utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
