import { expect, test } from 'vitest'
import { mountBox } from './mount.tsx'

test('alignment, font and case of the page around it do not reach into the box, and it has a height of its own', async () => {
  const initialMessages = [{ id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'An answer.' }] }]
  const { host, find } = await mountBox({ initialMessages })
  host.style.cssText = [
    'inline-size: 700px',
    'font: italic 700 20px "Times New Roman"',
    'text-align: center',
    'text-transform: uppercase',
    'letter-spacing: 3px',
    'white-space: pre',
  ].join(';')
  const style = getComputedStyle(await find('.argot-text p'))
  const { textAlign, textTransform, letterSpacing, fontStyle, fontWeight, fontFamily, whiteSpace } = style
  expect({ textAlign, textTransform, letterSpacing, fontStyle, fontWeight, whiteSpace }).toEqual({
    textAlign: 'start',
    textTransform: 'none',
    letterSpacing: 'normal',
    fontStyle: 'normal',
    fontWeight: '400',
    whiteSpace: 'normal',
  })
  expect(fontFamily).toMatch(/^system-ui/)
  expect(host.querySelector('.argot-box-root')!.getBoundingClientRect().height).toBeGreaterThanOrEqual(320)
})
