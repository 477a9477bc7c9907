import { createTheme } from '@mui/material/styles'
import axe from 'axe-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import material from '../../themes/material.css?inline'
import plain from '../../themes/plain.css?inline'
import shadcn from '../../themes/shadcn.css?inline'
import { asks, call, type Mounted, mountBox, text } from './mount.tsx'

const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n same\n-one\n+two\n'
const page = document.documentElement

/** Everything that has a colour: an answer, rows in every state, an open diff, an open output, a question. */
async function scene(): Promise<Mounted> {
  // A colour on its way is none of the theme's.
  addStyle('.argot * { transition: none !important }')
  const mounted = await mountBox()
  // Axe looks at what is in view.
  mounted.host.style.blockSize = '2000px'
  const { store, adapter, find } = mounted
  store.submit({ text: 'one' })
  adapter.say(
    { type: 'start', messageId: 'a' },
    { type: 'start-step' },
    ...text('t', 'See `a.ts` and [a page](https://example.com).'),
    ...call('done', 'read_file', { path: 'a.ts' }, 'const one = 1\n// two\n'),
    ...call('edit', 'edit_file', { path: 'a.ts' }, diff),
    ...call('failed', 'run_command', { command: 'ls' }),
    { type: 'tool-output-error', toolCallId: 'failed', errorText: 'No `such` file.' },
    ...call('running', 'fetch_url', { url: 'https://example.com' }),
    ...asks('ask', 'run_command', { command: 'rm -r x' }),
  )
  await find('[data-argot-call="a/ask"] [data-part="approval"]')
  const row = await find('[data-argot-call="a/edit"] [data-part="row"]')
  row.click()
  await find('[data-argot-call="a/edit"] [data-part="diff"]')
  return mounted
}

function addStyle(css: string): void {
  const style = document.head.appendChild(document.createElement('style'))
  style.textContent = css
  onTestFinished(() => style.remove())
}

function setDark(isDark: boolean): void {
  page.classList.toggle('dark', isDark)
  page.dataset.theme = isDark ? 'dark' : 'light'
}

async function contrast(host: HTMLElement): Promise<string[]> {
  const { violations, passes } = await axe.run(host, { runOnly: ['color-contrast'] })
  expect(passes.flatMap(({ nodes }) => nodes).length).toBeGreaterThan(12)
  return violations.flatMap(({ nodes }) => nodes.map(({ html, any }) => `${html.slice(0, 100)} ${any[0]?.message}`))
}

beforeAll(() => {
  const before = page.className
  return () => {
    page.className = before
    delete page.dataset.theme
  }
})

/** MUI's variables as its provider writes them. */
function muiVariables(): string {
  const theme = createTheme({
    cssVariables: { colorSchemeSelector: 'class' },
    colorSchemes: { dark: true },
    palette: { primary: { main: '#6a1b9a' } },
    shape: { borderRadius: 7 },
  }) as unknown as { generateStyleSheets: () => Record<string, Record<string, unknown>>[] }
  return theme
    .generateStyleSheets()
    .flatMap(sheet => Object.entries(sheet))
    .map(([selector, fields]) => {
      const lines = Object.entries(fields).filter(([name]) => name.startsWith('--'))
      return `${selector} { ${lines.map(([name, value]) => `${name}: ${String(value)};`).join(' ')} }`
    })
    .join('\n')
}

/** shadcn's theme "violet" in both of its spellings. */
const oklch = `:root { --background: oklch(1 0 0); --foreground: oklch(0.141 0.005 285.823); --card: oklch(1 0 0);
  --muted: oklch(0.967 0.001 286.375); --muted-foreground: oklch(0.552 0.016 285.938); --border: oklch(0.92 0.004 286.32);
  --primary: rgb(124, 58, 237); --primary-foreground: rgb(249, 250, 251); --destructive: oklch(0.577 0.245 27.325); --radius: 8px }
  .dark { --background: oklch(0.141 0.005 285.823); --foreground: oklch(0.985 0 0); --card: oklch(0.21 0.006 285.885);
  --muted: oklch(0.274 0.006 286.033); --muted-foreground: oklch(0.705 0.015 286.067); --border: oklch(1 0 0 / 10%);
  --destructive: oklch(0.704 0.191 22.216) }`
const triples = `:root { --background: 0 0% 100%; --foreground: 240 10% 3.9%; --card: 0 0% 100%; --muted: 240 4.8% 95.9%;
  --muted-foreground: 240 3.8% 46.1%; --border: 240 5.9% 90%; --primary: 262.1 83.3% 57.8%; --primary-foreground: 210 20% 98%;
  --destructive: 0 84.2% 60.2%; --radius: 8px }
  .dark { --background: 20 14.3% 4.1%; --foreground: 0 0% 95%; --card: 24 9.8% 10%; --muted: 0 0% 15%;
  --muted-foreground: 240 5% 64.9%; --border: 240 3.7% 15.9%; --destructive: 0 62.8% 30.6% }`

const looks: [string, string, readonly string[]][] = [
  ['none', '', []],
  [
    'five variables',
    '',
    [':root { --argot-accent: #ffd400; --argot-radius: 0px; --argot-size: 1rem; --argot-font: serif }'],
  ],
  ['plain', plain, []],
  ['material', material, []],
  ['material with MUI', material, [muiVariables()]],
  ['shadcn', shadcn, []],
  ['shadcn in oklch', shadcn, [oklch]],
  ['shadcn in hsl', shadcn, [triples]],
]

test.each(looks)('every text can be read with the theme %s, in light and dark', async (_, theme, variables) => {
  for (const css of [theme, ...variables]) addStyle(css)
  const { host } = await scene()
  for (const isDark of [false, true]) {
    setDark(isDark)
    expect(await contrast(host)).toEqual([])
    expect(getComputedStyle(host.querySelector('[data-part="box"]')!).colorScheme).toBe(isDark ? 'dark' : 'light')
  }
})

function look(host: HTMLElement): Record<string, string> {
  const panel = getComputedStyle(host.querySelector('[data-part="panel"]')!)
  const approve = getComputedStyle(host.querySelector('[data-kind="primary"]')!)
  return {
    ground: srgb(getComputedStyle(host.querySelector('[data-part="box"]')!).backgroundColor),
    corner: panel.borderRadius,
    button: srgb(approve.backgroundColor),
    label: srgb(approve.color),
    font: approve.fontFamily,
    size: approve.fontSize,
  }
}

/** As the browser draws it. */
function srgb(color: string): string {
  const context = document.createElement('canvas').getContext('2d')!
  context.fillStyle = color
  context.fillRect(0, 0, 1, 1)
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)].join(' ')
}

test('five variables, on any element around it, change the corners, the font, the size and the buttons', async () => {
  setDark(false)
  const { host } = await scene()
  host.style.cssText += '--argot-accent: #ffd400; --argot-radius: 2px; --argot-size: 20px; --argot-font: serif'
  expect(look(host)).toMatchObject({ corner: '2px', button: '255 212 0', label: '0 0 0', font: 'serif', size: '20px' })
  host.style.setProperty('--argot-accent', '#003366')
  host.style.setProperty('--argot-on-accent', '#eeffee')
  expect(look(host)).toMatchObject({ button: '0 51 102', label: '238 255 238' })
})

test('the variables of MUI are read', async () => {
  setDark(false)
  addStyle(material)
  addStyle(muiVariables())
  const { host } = await scene()
  expect(look(host)).toMatchObject({ corner: '7px', button: '106 27 154', label: '255 255 255', ground: '255 255 255' })
  setDark(true)
  expect(look(host)).toMatchObject({ ground: '18 18 18' })
})

test.each([
  ['colours', oklch, '9 9 11'],
  ['the numbers of hsl()', triples, '12 10 9'],
])('the variables of shadcn are read as %s', async (_, variables, dark) => {
  setDark(false)
  addStyle(shadcn)
  addStyle(variables)
  const { host } = await scene()
  expect(look(host)).toMatchObject({ corner: '8px', button: '124 58 237', label: '249 250 251', ground: '255 255 255' })
  setDark(true)
  expect(look(host)).toMatchObject({ ground: dark })
})

test('a compact chat has lower rows and smaller texts, and so has a card in it', async () => {
  const { host, root } = await mountBox({ density: 'compact', initialMessages: [message] })
  const row = await expect
    .poll(() => host.querySelector<HTMLElement>('[data-part="row"]'))
    .not.toBeNull()
    .then(() => host.querySelector('[data-part="row"]')!)
  expect(row.getBoundingClientRect().height).toBe(24)
  expect(getComputedStyle(row).fontSize).toBe('13px')
  root.unmount()
})

const message = {
  id: 'm',
  role: 'assistant' as const,
  parts: [
    {
      type: 'dynamic-tool',
      toolCallId: 'c',
      toolName: 'read_file',
      state: 'output-available',
      input: { path: 'a' },
      output: 'x',
    },
  ],
}
