import {
  RequestError,
  type SessionConfigOption,
  type SessionMode,
  type SessionModeState,
} from '@agentclientprotocol/sdk/unstable'
import type { ApprovalMode } from '@argot/agent/internal'
import { checkModelName, listProviders } from '@argot/agent/internal'
import { syntaxes } from '@argot/core/syntax'
import { listSyntaxes } from '@argot/core/syntax/internal'

const modes: readonly (SessionMode & { id: ApprovalMode })[] = [
  { id: 'ask', name: 'Ask', description: 'Read-only calls run. Argot asks before all others.' },
  { id: 'readonly', name: 'Read only', description: 'Read-only calls run. All others are refused.' },
  { id: 'none', name: 'No tools', description: 'No calls run.' },
  { id: 'all', name: 'Allow all', description: 'All calls run without asking, except those that a rule denies.' },
]

/** The option for the value from the document or the settings. */
const UNSET = 'default'

export class SessionSettings {
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #modes: readonly (SessionMode & { id: ApprovalMode })[]
  mode: ApprovalMode
  model: string | undefined
  syntax: string | undefined

  /** With `approve`, clients can only choose modes that are at least as strict. */
  constructor(
    env: Readonly<Record<string, string | undefined>>,
    {
      approve,
      model,
      syntax,
    }: { approve?: ApprovalMode | undefined; model?: string | undefined; syntax?: string | undefined },
  ) {
    this.#env = env
    this.#modes =
      approve === undefined || approve === 'all' ? modes : modes.filter(({ id }) => allowsAtMost(id, approve))
    this.mode = approve ?? 'ask'
    this.model = model
    this.syntax = syntax
  }

  get modes(): SessionModeState {
    return { currentModeId: this.mode, availableModes: [...this.#modes] }
  }

  setMode(id: string): void {
    const mode = this.#modes.find(one => one.id === id)
    if (mode === undefined)
      throw RequestError.invalidParams(undefined, `There is no mode ${JSON.stringify(id.slice(0, 64))}.`)
    this.mode = mode.id
  }

  get options(): SessionConfigOption[] {
    const models = listProviders(this.#env).filter(
      ({ isReady, example }) => isReady && !/:(?:NAME|FILE)$/.test(example),
    )
    const names = new Set([...models.map(({ example }) => example), ...(this.model === undefined ? [] : [this.model])])
    const syntaxNames = new Set([...commonSyntaxes(), ...(this.syntax === undefined ? [] : [this.syntax])])
    const select = (values: Iterable<string>, first: string): { value: string; name: string }[] => [
      { value: UNSET, name: first },
      ...Array.from(values, value => ({ value, name: value })),
    ]
    return [
      {
        type: 'select',
        id: 'model',
        name: 'Model',
        category: 'model',
        currentValue: this.model ?? UNSET,
        options: select(names, "The document's model"),
      },
      {
        type: 'select',
        id: 'syntax',
        name: 'Tool syntax',
        description: 'How the model writes tool calls.',
        category: 'model_config',
        currentValue: this.syntax ?? UNSET,
        options: select(syntaxNames, "The document's syntax"),
      },
    ]
  }

  setOption(id: string, value: unknown): void {
    if (typeof value !== 'string') throw RequestError.invalidParams(undefined, `${id} must be a name.`)
    const name = value === UNSET ? undefined : value
    if (id === 'model') {
      // A recording is a file on this machine, so clients can't choose one.
      if (name?.startsWith('replay:')) throw RequestError.invalidParams(undefined, "Clients can't choose a recording.")
      checkModelName(name, { env: this.#env })
      this.model = name
    } else if (id === 'syntax') {
      this.syntax = name === undefined ? undefined : syntaxes.get(name).name
    } else throw RequestError.invalidParams(undefined, `There is no option ${JSON.stringify(id.slice(0, 64))}.`)
  }
}

/** Argot's own syntaxes. A document can name any dialect. */
function commonSyntaxes(): string[] {
  return listSyntaxes().flatMap(({ name, about }) => (about === undefined ? [] : [name]))
}

/** From strictest to most permissive. `readonly` and `ask` run the same calls without a question. */
const strictness: readonly ApprovalMode[] = ['none', 'readonly', 'ask', 'all']

function allowsAtMost(mode: ApprovalMode, most: ApprovalMode): boolean {
  return strictness.indexOf(mode) <= strictness.indexOf(most)
}
