import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'

/** A screenshot of the page, and how to get there from the first view. */
export interface PageScene {
  name: string
  /** The initial address; the first document by default. */
  at?: string
  /** `sample` by default. `full` adds documents of another project; `none` is empty. */
  folder?: 'sample' | 'full' | 'none'
  act: (page: Page) => Promise<void>
}

const approve = /^Approve/

async function showAround(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await page.waitForTimeout(600)
}

const wide = 1240

/** The source is next to the conversation on a wide page, and one click away on a narrow one. */
async function openSource(page: Page): Promise<void> {
  const { width } = page.viewportSize()!
  if (width >= wide) return
  if (width >= 800) return page.getByRole('button', { name: 'Source', exact: true }).click()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Source' }).click()
}

const welcome = { at: '#/welcome.chatmd', folder: 'full' } as const
const source = { at: '#/fix-offset.chatmd', folder: 'full' } as const

/** The states in which the panes of the page are inspected. */
export const pageScenes: readonly PageScene[] = [
  { name: 'empty', ...welcome, act: async page => page.getByRole('button', { name: 'Show me around.' }).waitFor() },
  {
    name: 'source',
    ...source,
    async act(page) {
      await openSource(page)
      await page.getByRole('button', { name: 'Fix' }).first().waitFor()
      await page.waitForTimeout(500)
    },
  },
  {
    name: 'editor',
    ...source,
    async act(page) {
      await openSource(page)
      await page.getByRole('complementary', { name: 'Source' }).getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('textbox', { name: /^Text of/ }).press('Control+Home')
      await page.keyboard.type('<!-- checked -->')
      await page.waitForTimeout(500)
    },
  },
  {
    name: 'model-sees',
    ...source,
    async act(page) {
      await openSource(page)
      await page.getByRole('tab', { name: 'What the model sees' }).click()
      await page
        .getByText(/tokens/)
        .first()
        .waitFor()
    },
  },
  {
    name: 'models',
    ...welcome,
    async act(page) {
      if (page.viewportSize()!.width < 800) {
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: /^Model/ }).click()
      } else await page.getByRole('button', { name: /^Model/ }).click()
      await page.getByRole('menuitemradio', { name: /a built-in model for trying Argot/ }).waitFor()
    },
  },
  {
    name: 'needs-you',
    ...welcome,
    async act(page) {
      await showAround(page)
      await page.goto(page.url().replace(/#.*$/, '#/needs-you'))
      await page.getByRole('button', { name: approve }).first().waitFor()
      await page.waitForTimeout(500)
    },
  },
  {
    name: 'palette',
    ...welcome,
    async act(page) {
      await showAround(page)
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Find anything' }).waitFor()
    },
  },
  {
    name: 'documents',
    ...welcome,
    async act(page) {
      await showAround(page)
      if (page.viewportSize()!.width >= wide) return page.keyboard.press('F6')
      await page.getByRole('button', { name: 'Documents' }).click()
    },
  },
  {
    name: 'none',
    folder: 'none',
    act: async page => page.getByRole('button', { name: 'New document' }).last().waitFor(),
  },
]

const sampleDocument = `<config model="demo" temprature="0.2"
        tool_syntax="caret" show_tool_call/>
<tool name="grep"/>
<tool name="read_file"/>
<tool name="find_and_replace"/>
<tool name="write_file"/>

<system>
You look after tidelog, a small reader for
rotated log files. Change as little as you can.
<import src="house-rules.md"/>
</system>

<user>
\`tidelog tail --from 41\` starts at line 40.
Where does that come from?
</user>

<assistant id="m2">
One is taken off twice: \`src/cli/tail.ts\` passes
an offset that already counts from zero, and
\`parseOffset\` in \`src/log/reader.ts\` subtracts
again.
</assistant>
`

const otherNames = [
  ...['release-notes-0.9', 'import-fixtures', 'reader-benchmarks', 'reviewer', 'why-the-index-drifts-after-rotation'],
  ...['changelog-0.8', 'gzip-members', 'first-steps', 'timestamps-with-offset'],
]

/** Adds documents as in a folder that has been used for a while. */
export async function fillFolder(folder: string): Promise<void> {
  for (const name of otherNames) await writeFile(join(folder, `${name}.chatmd`), `<user>\n${name}\n</user>\n`)
  await writeFile(join(folder, 'house-rules.md'), 'Tests first.\n')
  await writeFile(join(folder, 'fix-offset.chatmd'), sampleDocument)
}
