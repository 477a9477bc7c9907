import { ChatBox, type ChatBoxProps } from '@argot/react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { type Mounted, mountBox, put } from './mount.tsx'

const lines = Array.from({ length: 900 }, (_, at) => `line ${at}`)
const long = (word: string): string => lines.with(600, `a ${word} in it`).join('\n')

const done = (toolCallId: string, name: string, input: object, output: unknown): object => ({
  type: `tool-${name}`,
  toolCallId,
  state: 'output-available',
  input,
  output,
})

const history = [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Look' }] },
  {
    id: 'a',
    role: 'assistant',
    parts: [
      done('text', 'read_log', { path: 'a.log' }, long('thimble')),
      done('terminal', 'run', { command: 'x' }, long('bobbin')),
      done('tree', 'get', { id: 1 }, { a: { b: { c: { d: [{ e: 'spindle' }] } } } }),
      done('diff', 'edit_file', { path: 'z', old_string: long('x'), new_string: `${long('x')}\nlast` }, 'ok'),
      done('name', 'get', { id: 2 }, { 'a.b*(c': 'd' }),
    ],
  },
  {
    id: 'r',
    role: 'assistant',
    parts: Array.from({ length: 8 }, (_, at) => done(`r${at}`, 'read_file', { path: `${at}.ts` }, `shuttle ${at}`)),
  },
] as unknown as NonNullable<ChatBoxProps['initialMessages']>

async function find(mounted: Mounted, query: string): Promise<void> {
  mounted.field().focus()
  await userEvent.keyboard('{Control>}f{/Control}')
  await userEvent.fill(await mounted.find('.argot-find input'), query)
}

/** The first place that is marked, where it is in view. */
function marked(log: HTMLElement): string | undefined {
  const [range] = CSS.highlights.get('argot-found') ?? []
  if (!(range instanceof Range)) return undefined
  const [place, view] = [range.getBoundingClientRect(), log.getBoundingClientRect()]
  return place.height > 0 && place.top >= view.top && place.bottom <= view.bottom ? String(range) : undefined
}

test.each([
  ['the middle of a long text', 'thimble'],
  ['the middle of what a program printed', 'bobbin'],
  ['the depth of a tree', 'spindle'],
  ['unchanged lines of a diff that are folded', 'a x in it'],
  ['signs that mean something in a pattern', 'A.B*(C'],
  ['one of the calls that share a row', 'shuttle 3'],
])('find shows %s', async (_, query) => {
  const mounted = await mountBox({ initialMessages: history })
  await find(mounted, query)
  await expect.poll(() => marked(mounted.log())?.toLowerCase()).toBe(query.toLowerCase())
})

test('find opens the line over the calls, where they have one', async () => {
  const mounted = await mountBox({ initialMessages: history, toolDisplay: 'widget' })
  await find(mounted, 'thimble')
  await expect.poll(() => marked(mounted.log())).toBe('thimble')
})

test('what was unfolded in a body is unfolded when the body is there again', async () => {
  const { host, root, adapter, store, find: there } = await mountBox({ initialMessages: history })
  store.folds.set('a', false, false)
  for (const key of ['text', 'tree']) store.conversation.ui(`a/${key}`).setOpen(undefined, true)
  const text = await there('[data-argot-call="a/text"] pre')
  await userEvent.click(host.querySelector('[data-argot-call="a/text"] .argot-box-foot button')!)
  await expect.poll(() => text.textContent).toContain('line 899')
  const branch = (): HTMLElement | undefined =>
    [...document.querySelectorAll<HTMLElement>('[data-argot-call="a/tree"] .argot-branch')].find(one =>
      one.textContent?.startsWith('c'),
    )
  await userEvent.click(branch()!)
  await expect.poll(() => branch()?.getAttribute('aria-expanded')).toBe('true')
  root.unmount()
  const again = put(<ChatBox adapter={adapter} store={store} />)
  await expect.poll(() => again.host.querySelector('[data-argot-call="a/text"] pre')?.textContent).toContain('line 899')
  await expect.poll(() => branch()?.getAttribute('aria-expanded')).toBe('true')
})
