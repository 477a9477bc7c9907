import { cp, mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer, listen } from '@argot/server'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { build } from 'vite'
import { fillFolder, type PageScene, pageScenes } from './page-scenes.ts'

/**
 * Takes screenshots of the page of `argot serve` in Chromium, with the sample folder and the demo model:
 *
 *     npm run shots:page [-- SCENE …]
 *
 * Every scene goes to `shots/`, which is not committed. Those in the README and the docs also go to `docs/pictures/`.
 */
const root = new URL('..', import.meta.url).pathname
const folder = join(root, 'shots')
const pictureFolder = join(root, 'docs/pictures')
const maxBytes = 150_000

interface Scene extends PageScene {
  /** Its file in `docs/pictures`, if the README or the docs show it. */
  picture?: string
}

const approve = /^Approve/

async function showApproval(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await page.getByRole('button', { name: approve }).first().waitFor()
  // A card accepts no answer in its first half second.
  await page.waitForTimeout(700)
}

async function showFinished(page: Page): Promise<void> {
  await showApproval(page)
  await page.getByRole('button', { name: approve }).first().click()
  await page.getByRole('log').getByText('That was one of everything').waitFor()
  await page.waitForTimeout(300)
}

async function showReplay(page: Page): Promise<void> {
  await showFinished(page)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Replay' }).click()
  await page.getByRole('slider').waitFor()
}

const scenes: readonly Scene[] = [
  ...pageScenes,
  { name: 'start', act: async page => page.getByRole('button', { name: 'Show me around.' }).waitFor() },
  { name: 'approval', picture: 'approval.webp', act: showApproval },
  { name: 'finished', picture: 'conversation.webp', act: showFinished },
  {
    name: 'open-call',
    async act(page) {
      await showFinished(page)
      await page
        .getByRole('log')
        .getByRole('button', { name: /^Edited/ })
        .click()
      await page.waitForTimeout(300)
    },
  },
  {
    name: 'menu',
    async act(page) {
      await showFinished(page)
      await page.getByRole('button', { name: 'More' }).click()
    },
  },
  {
    name: 'time-machine',
    picture: 'time-machine.webp',
    async act(page) {
      await showReplay(page)
      const slider = page.getByRole('slider')
      await slider.focus()
      await page.keyboard.press('PageUp')
      // To the moment when the call asked for approval.
      for (let step = 0; step < 14; step++) await page.keyboard.press('ArrowRight')
      await page.waitForTimeout(500)
    },
  },
  {
    name: 'playground',
    at: 'playground/',
    picture: 'playground.webp',
    async act(page) {
      await page.getByRole('heading', { name: 'The same calls in other syntaxes' }).waitFor()
    },
  },
]

const looks: readonly { name: string; options: BrowserContextOptions }[] = [
  { name: 'light', options: { viewport: { width: 1440, height: 900 } } },
  { name: 'dark', options: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' } },
  { name: '1024', options: { viewport: { width: 1024, height: 768 } } },
  { name: '390', options: { viewport: { width: 390, height: 844 }, hasTouch: true } },
  { name: '390-dark', options: { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' } },
  { name: 'forced-colors', options: { viewport: { width: 1440, height: 900 }, forcedColors: 'active' } },
]

async function shoot(browser: Browser, scene: Scene, look: (typeof looks)[number]): Promise<void> {
  const tempFolder = await realpath(await mkdtemp(join(tmpdir(), 'argot-shots-')))
  const { name, picture, act } = scene
  const docs = join(tempFolder, 'tidelog')
  await mkdir(docs)
  if (scene.folder !== 'none') await cp(join(root, 'samples/start'), docs, { recursive: true })
  if (scene.folder === 'full') await fillFolder(docs)
  const server = createServer({
    store: folderStore(docs, { key: Buffer.alloc(32, 5) }),
    stateFolder: join(tempFolder, 'state'),
    page: join(root, 'packages/server/page'),
    run: { env: {}, cwd: docs, configFolder: join(tempFolder, 'config') },
  })
  const listening = await listen(server, { port: 0 })
  const window = await browser.newContext({ reducedMotion: 'reduce', ...look.options })
  try {
    const page = await window.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(`http://127.0.0.1:${listening.port}/${scene.at ?? ''}`)
    await page.getByRole('heading').first().waitFor()
    await act(page)
    await page.screenshot({ path: join(folder, `page-${name}-${look.name}.png`) })
    if (picture !== undefined && look.name === 'light') await savePicture(page, picture)
  } finally {
    await window.close()
    const closing = server.close()
    await listening.close()
    await closing
    await rm(tempFolder, { recursive: true, force: true })
  }
}

async function savePicture(page: Page, picture: string): Promise<void> {
  const path = join(pictureFolder, picture)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  await writeFile(path, data, 'base64')
  const { size } = await stat(path)
  console.log(`docs/pictures/${picture}: ${Math.round(size / 1000)} kB`)
  if (size > maxBytes) throw new Error(`${picture} has ${size} bytes, and may have ${maxBytes}.`)
}

const sceneNames = process.argv.slice(2)
process.env.NODE_ENV = 'production'
for (const app of ['web', 'playground']) await build({ root: join(root, 'apps', app), logLevel: 'warn' })
await mkdir(folder, { recursive: true })
await mkdir(pictureFolder, { recursive: true })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
})
try {
  for (const scene of scenes.filter(({ name }) => sceneNames.length === 0 || sceneNames.includes(name))) {
    for (const look of looks) await shoot(browser, scene, look)
  }
} finally {
  await browser.close()
}
