import type { Complete, Completion } from './completion.ts'
import { Composer } from './composer.ts'
import { type Key, keyName } from './key.ts'
import { MessageHistory } from './message-history.ts'

/** Actions that the chat performs for a key. The editor handles all other keys itself. */
export type EditorAction =
  | 'submit'
  | 'steer'
  | 'interrupt'
  | 'leave'
  | 'escape'
  | 'clear-screen'
  | 'open-editor'
  | 'open-call'
  | 'next-call'
  | 'suspend'

export interface EditorOptions {
  history?: MessageHistory
  complete?: Complete
}

export interface HistorySearch {
  query: string
  match: { index: number; text: string } | undefined
}

export class Editor {
  readonly composer: Composer = new Composer()
  readonly history: MessageHistory
  readonly #complete: Complete
  #completion: Completion | undefined
  #selected = 0
  /** Escape closed the list for this text. */
  #closedFor: string | undefined
  #search: HistorySearch | undefined

  constructor({ history = new MessageHistory(), complete = () => undefined }: EditorOptions = {}) {
    this.history = history
    this.#complete = complete
  }

  get completion(): Completion | undefined {
    return this.#completion
  }

  get selected(): number {
    return this.#selected
  }

  get search(): HistorySearch | undefined {
    return this.#search
  }

  /** Handles a key and returns the chat's action, if any. `columns` is the width of the displayed text. */
  key(key: Key, columns: number): EditorAction | undefined {
    if (this.#search !== undefined && this.#searchKey(this.#search, key)) return undefined
    const before = this.composer.text
    const cursor = this.composer.cursor
    const action = this.#act(key, columns)
    if (this.composer.text !== before || this.composer.cursor !== cursor) this.refresh()
    return action
  }

  /** Takes the message out of the composer. Undefined if it is empty. */
  take(): string | undefined {
    const { value } = this.composer
    if (value.trim() === '') return undefined
    this.composer.reset()
    this.#completion = undefined
    this.history.rewind()
    return value
  }

  put(text: string): void {
    this.composer.set(text)
    this.composer.toEnd()
    this.#closedFor = text
    this.refresh()
  }

  refresh(): void {
    const { text, cursor } = this.composer
    this.#completion = text === this.#closedFor ? undefined : this.#complete(text, cursor)
    if (this.#completion?.items.length === 0) this.#completion = undefined
    this.#selected = 0
    if (text !== this.#closedFor) this.#closedFor = undefined
  }

  #act(key: Key, columns: number): EditorAction | undefined {
    const { composer } = this
    if (key.name === 'paste') {
      composer.paste(key.text ?? '')
      return undefined
    }
    if (this.#completion !== undefined && this.#listKey(this.#completion, key)) return undefined
    const name = keyName(key)
    const edit = edits[name]
    if (edit !== undefined) {
      edit(composer)
      return undefined
    }
    if (name === 'up' || name === 'ctrl+p') this.#up(columns)
    else if (name === 'down' || name === 'ctrl+n') this.#down(columns)
    else if (name === 'enter') return this.#enter()
    else if (name === 'tab') return this.#tab()
    else if (name === 'ctrl+r') this.#search = { query: '', match: undefined }
    else if (name === 'ctrl+d') {
      if (composer.isEmpty) return 'leave'
      composer.deleteForward()
    } else if (name === 'ctrl+c') return this.#interrupt()
    else if (actions[name] !== undefined) return actions[name]
    else if (key.text !== undefined && !key.ctrl && !key.alt) composer.insert(key.text)
    return undefined
  }

  /** Keys for the list of completions. False for other keys. */
  #listKey({ items }: Completion, key: Key): boolean {
    const name = keyName(key)
    if (name === 'up' || name === 'ctrl+p') this.#selected = (this.#selected + items.length - 1) % items.length
    else if (name === 'down' || name === 'ctrl+n') this.#selected = (this.#selected + 1) % items.length
    else if (name === 'escape') {
      this.#closedFor = this.composer.text
      this.#completion = undefined
    } else return false
    return true
  }

  #accept({ start, end, items }: Completion): boolean {
    const item = items[this.#selected]!
    const isSame = this.composer.text.slice(start, end) === item.text
    if (!isSame) {
      const more = item.isWhole === true || item.text.endsWith('/') ? '' : ' '
      this.composer.replaceRange(start, end, item.text + more)
      this.refresh()
    }
    return item.isWhole === true || isSame
  }

  #tab(): EditorAction | undefined {
    if (this.#completion !== undefined) this.#accept(this.#completion)
    else if (this.composer.isEmpty) return 'next-call'
    return undefined
  }

  #enter(): EditorAction | undefined {
    const { composer } = this
    if (this.#completion !== undefined && !this.#accept(this.#completion)) return undefined
    if (composer.text.slice(0, composer.cursor).endsWith('\\')) {
      composer.deleteBack()
      composer.insert('\n')
      return undefined
    }
    return 'submit'
  }

  #interrupt(): EditorAction | undefined {
    if (this.composer.isEmpty) return 'interrupt'
    this.composer.set('')
    this.history.rewind()
    return undefined
  }

  #up(columns: number): void {
    if (this.composer.moveRows(-1, columns)) return
    const text = this.history.previous(this.composer.value)
    if (text !== undefined) this.put(text)
  }

  #down(columns: number): void {
    if (this.composer.moveRows(1, columns)) return
    const text = this.history.next()
    if (text !== undefined) this.put(text)
  }

  /** Keys for the search. False for a key that ends the search and is then handled as usual. */
  #searchKey(search: HistorySearch, key: Key): boolean {
    const name = keyName(key)
    const find = (query: string, from?: number): void => {
      const match = query === '' ? undefined : this.history.search(query, from)
      this.#search = { query, match: match ?? (from === undefined ? undefined : search.match) }
    }
    if (name === 'escape' || name === 'ctrl+g' || name === 'ctrl+c') this.#search = undefined
    else if (name === 'ctrl+r') find(search.query, search.match?.index)
    else if (name === 'backspace') find([...search.query].slice(0, -1).join(''))
    else if (key.text !== undefined && key.name !== 'paste' && !key.ctrl && !key.alt) find(search.query + key.text)
    else {
      this.#search = undefined
      if (search.match !== undefined) this.put(search.match.text)
      return name === 'enter' || name === 'tab'
    }
    return true
  }
}

const newline = (composer: Composer): void => composer.insert('\n')

const edits: Readonly<Record<string, (composer: Composer) => void>> = {
  'shift+enter': newline,
  'alt+enter': newline,
  'ctrl+enter': newline,
  'ctrl+j': newline,
  backspace: one => one.deleteBack(),
  'shift+backspace': one => one.deleteBack(),
  'ctrl+h': one => one.deleteBack(),
  delete: one => one.deleteForward(),
  left: one => one.left(),
  'ctrl+b': one => one.left(),
  right: one => one.right(),
  'ctrl+f': one => one.right(),
  'alt+left': one => one.wordLeft(),
  'ctrl+left': one => one.wordLeft(),
  'alt+b': one => one.wordLeft(),
  'alt+right': one => one.wordRight(),
  'ctrl+right': one => one.wordRight(),
  'alt+f': one => one.wordRight(),
  home: one => one.lineStart(),
  'ctrl+a': one => one.lineStart(),
  end: one => one.lineEnd(),
  'ctrl+e': one => one.lineEnd(),
  'ctrl+home': one => one.toStart(),
  'alt+<': one => one.toStart(),
  'ctrl+end': one => one.toEnd(),
  'alt+>': one => one.toEnd(),
  'ctrl+k': one => one.cutToLineEnd(),
  'ctrl+u': one => one.cutToLineStart(),
  'ctrl+w': one => one.cutWordBack(),
  'alt+backspace': one => one.cutWordBack(),
  'ctrl+backspace': one => one.cutWordBack(),
  'alt+d': one => one.cutWordForward(),
  'ctrl+y': one => one.yank(),
  'ctrl+_': one => one.undo(),
  'ctrl+-': one => one.undo(),
  'alt+z': one => one.undo(),
  'alt+y': one => one.redo(),
}

const actions: Readonly<Record<string, EditorAction>> = {
  escape: 'escape',
  'ctrl+l': 'clear-screen',
  'ctrl+g': 'open-editor',
  'ctrl+o': 'open-call',
  'ctrl+z': 'suspend',
  'ctrl+s': 'steer',
}
