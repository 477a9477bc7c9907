import { expect, test } from 'vitest'
import { cdp, userEvent } from 'vitest/browser'
import { mountBox } from './mount.tsx'

const enter = (extra: KeyboardEventInit = {}): KeyboardEvent =>
  new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...extra })

/** As React hears of typing. */
function type(field: HTMLTextAreaElement, value: string): void {
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!
  set.call(field, value)
  field.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

test('Enter sends nothing between the start of a composition and the task after its end', async () => {
  const { adapter, field } = await mountBox()
  field().focus()
  field().dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }))
  type(field(), '日本')
  field().dispatchEvent(enter({ isComposing: true }))
  field().dispatchEvent(enter())
  field().dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }))
  field().dispatchEvent(enter())
  expect(adapter.sent).toEqual([])
  await new Promise(resolve => setTimeout(resolve))
  field().dispatchEvent(enter())
  expect(adapter.sent).toEqual(['日本'])
})

test('key code 229 without a composition decides nothing', async () => {
  const { adapter, field } = await mountBox()
  type(field(), 'hello')
  field().dispatchEvent(enter({ keyCode: 229 }))
  expect(adapter.sent).toEqual(['hello'])
})

test('a composition of the browser itself is left alone, and its text is sent afterwards', async () => {
  const { adapter, field } = await mountBox()
  field().focus()
  const session = cdp() as unknown as { send: (method: string, params: object) => Promise<unknown> }
  await session.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 })
  await expect.poll(() => field().value).toBe('にほ')
  await session.send('Input.insertText', { text: '日本' })
  await expect.poll(() => field().value).toBe('日本')
  expect(adapter.sent).toEqual([])
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => adapter.sent).toEqual(['日本'])
})

test('Enter can be a new line, and Ctrl Enter then sends', async () => {
  const { adapter, field } = await mountBox({ slotProps: { composer: { enterIsNewLine: true } } })
  field().focus()
  await userEvent.keyboard('a{Enter}b')
  expect(adapter.sent).toEqual([])
  await userEvent.keyboard('{Control>}{Shift>}{Enter}{/Shift}{/Control}')
  expect(adapter.sent).toEqual([])
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  expect(adapter.sent).toEqual(['a\nb'])
})
