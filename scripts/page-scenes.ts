import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderStore } from '@argot/agent'
import { createServer, listen } from '@argot/server'
import type { Page } from 'playwright'

/** A picture of the page: how to get there from the first view. */
export interface Scene {
  /** Where it begins; the welcome by default. */
  at?: string
  /** A folder without documents. */
  isEmpty?: boolean
  prepare?: (page: Page) => Promise<void>
}

const approve = /^Approve/

async function showAround(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  await page.waitForTimeout(600)
}

const wide = 1240

/** The source is beside the conversation on a wide page, and one press away on another. */
async function openSource(page: Page): Promise<void> {
  const { width } = page.viewportSize()!
  if (width >= wide) return
  if (width >= 800) return page.getByRole('button', { name: 'Source', exact: true }).click()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Source' }).click()
}

/** The page in every state that it is looked at in. */
export const scenes: Readonly<Record<string, Scene>> = {
  'page-empty': {},
  'page-approval': { prepare: showAround },
  'page-finished': {
    async prepare(page) {
      await showAround(page)
      await page.getByRole('button', { name: approve }).first().click()
      await page.getByRole('log').getByText('That was everything once').waitFor()
    },
  },
  'page-source': { at: '#/fix-offset.chatmd', prepare: openSource },
  'page-model-sees': {
    at: '#/fix-offset.chatmd',
    async prepare(page) {
      await openSource(page)
      await page.getByRole('tab', { name: 'What the model sees' }).click()
    },
  },
  'page-models': {
    async prepare(page) {
      if (page.viewportSize()!.width < 800) {
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: /^Model/ }).click()
      } else await page.getByRole('button', { name: /^Model/ }).click()
      await page.getByRole('menuitemradio', { name: /a model inside Argot/ }).waitFor()
    },
  },
  'page-needs-you': {
    async prepare(page) {
      await showAround(page)
      await page.goto(page.url().replace(/#.*$/, '#/needs-you'))
      await page.getByRole('button', { name: approve }).first().waitFor()
    },
  },
  'page-documents': {
    async prepare(page) {
      await showAround(page)
      if (page.viewportSize()!.width >= wide) return page.keyboard.press('Control+k')
      await page.getByRole('button', { name: 'Documents' }).click()
    },
  },
  'page-none': { isEmpty: true },
}

const reviewed = `<config model="demo" temprature="0.2"
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

const others = [
  ...['release-notes-0.9', 'import-fixtures', 'reader-benchmarks', 'reviewer', 'why-the-index-drifts-after-rotation'],
  ...['changelog-0.8', 'gzip-members', 'first-steps', 'timestamps-with-offset'],
]

/** Serves a folder to look at, until `close` is called. */
export async function serveScene({ isEmpty = false }: Scene): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-shots-')))
  const docs = join(folder, 'tidelog')
  await mkdir(docs, { recursive: true })
  if (!isEmpty) {
    for (const name of others) await writeFile(join(docs, `${name}.chatmd`), `<user>\n${name}\n</user>\n`)
    await writeFile(join(docs, 'house-rules.md'), 'Tests first.\n')
    await writeFile(join(docs, 'fix-offset.chatmd'), reviewed)
    await cp(fileURLToPath(new URL('../samples/start', import.meta.url)), docs, { recursive: true })
  }
  const server = createServer({
    store: folderStore(docs, { key: Buffer.alloc(32, 5) }),
    stateFolder: join(folder, 'state'),
    page: fileURLToPath(new URL('../packages/server/page', import.meta.url)),
    run: { env: {}, cwd: docs, configFolder: join(folder, 'config') },
  })
  const listening = await listen(server, { port: 0 })
  return {
    url: `http://127.0.0.1:${listening.port}/`,
    async close() {
      const closing = server.close()
      await listening.close()
      await closing
      await rm(folder, { recursive: true, force: true })
    },
  }
}
