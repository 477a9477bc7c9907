import { InlineToolWidget, ToolCard } from '@argot/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { found, mount } from './mount.tsx'

const names = [
  'fixtures/old-1.json.orig',
  'a/b.ts',
  'src/i.ts',
  'packages/tidelog-formats/src/rotated/compressed/gzip-members.ts',
  'x/a-name-that-is-far-longer-than-forty-characters-are.json',
  'reader.ts',
  '日本語/資料/報告書の長い名前のファイル.txt',
  'https://example.com/a/page/about/something.html',
  'C:\\Users\\somebody\\Documents\\notes.txt',
  'npm run bench -- --from 41 --file fixtures/a.log',
  '👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦/👩‍👩‍👧‍👦.png',
]

function part(name: string, title?: string): object {
  const key = name.includes(' ') ? 'command' : 'path'
  const input = { [key]: name, old_string: 'one', new_string: 'two' }
  return { type: 'tool-edit_file', toolCallId: name, state: 'output-available', input, output: 'x'.repeat(300), title }
}

const widths = [200, 230, 260, 290, 320, 340, 390, 480, 560, 639, 641, 700, 900]

/** The width of a text in the font of an element. */
function widthOf(text: string, { font }: CSSStyleDeclaration): number {
  const context = document.createElement('canvas').getContext('2d')!
  context.font = font
  return context.measureText(text).width
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * The texts of a card that are shortened without an ellipsis. A browser draws one where it fits beside the first
 * character; a text that something around it cuts off has none.
 */
function withoutEllipsis(host: HTMLElement, selector: string): string[] {
  return [...host.querySelectorAll<HTMLElement>(selector)].flatMap(element => {
    const text = element.textContent
    const rect = element.getBoundingClientRect()
    if (text === '' || element.children.length > 0) return []
    if (element.scrollWidth > element.clientWidth) {
      const style = getComputedStyle(element)
      const first = [...graphemes.segment(text)][0]!.segment
      const needed = widthOf(`${first}…`, style)
      if (style.textOverflow !== 'ellipsis' || element.clientWidth < needed - 0.5)
        return [`${text} (${element.clientWidth})`]
    }
    for (let around = element.parentElement; around !== null && around !== host; around = around.parentElement) {
      const clip = around.getBoundingClientRect()
      if (getComputedStyle(around).overflowX === 'visible' && !around.matches('.argot-row, .argot-box-head')) continue
      if (rect.right > clip.right + 0.5 || rect.left < clip.left - 0.5) return [`${text} is cut off`]
    }
    return []
  })
}

const shortened = '.argot-mid > span, .argot-subject, .argot-verb, .argot-result, .argot-box-name'

const places: [string, (name: string) => ReactNode][] = [
  ['a card in a pane', name => <Pane>{card(name)}</Pane>],
  ['a card without a pane', name => card(name)],
  ['a card with a long title', name => <Pane>{card(name, 'Look something up in the great archive of papers')}</Pane>],
  [
    'a widget',
    name => (
      <Pane>
        <InlineToolWidget message={{ id: 'a', role: 'assistant', status: 'streaming', parts: [running(name)] }} />
      </Pane>
    ),
  ],
]

function running(name: string): { type: string } {
  return { ...part(name), state: 'input-available' } as { type: string; state: string }
}

function card(name: string, title?: string): ReactNode {
  return <ToolCard part={part(name, title)} defaultExpanded={{ '*': true }} />
}

function Pane({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="argot argot-pane">
      <div className="argot-column">{children}</div>
    </div>
  )
}

test.each(places)('law: in %s, at every width, what is shortened shows its ellipsis', async (place, draw) => {
  const { host, render } = mount(null)
  const wrong: string[] = []
  let cut = 0
  for (const name of names) {
    render(
      <div key={name} data-name={name}>
        {draw(name)}
      </div>,
    )
    const selector = place === 'a widget' ? '.argot-widget' : '[data-section=input] .argot-box-head'
    await found(host, `[data-name="${CSS.escape(name)}"] ${selector}`)
    for (const width of widths) {
      host.style.inlineSize = `${width}px`
      cut += [...host.querySelectorAll(shortened)].filter(one => one.scrollWidth > one.clientWidth).length
      wrong.push(...withoutEllipsis(host, shortened).map(one => `${width}: ${one}`))
    }
  }
  expect(wrong).toEqual([])
  expect(cut).toBeGreaterThan(20)
})
