import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderStore } from '@argot/agent'
import { createServer, listen } from '@argot/server'
import { chromium, type Page } from 'playwright'
import { build } from 'vite'
import { type Frame, joinFrames } from './animated-webp.ts'

/**
 * Records an animation of the page of `argot serve` for the README, in Chromium with the demo model: an approval, the
 * changes, the time machine.
 *
 *     npm run shots:movie
 */
const root = new URL('..', import.meta.url).pathname
const file = join(root, 'docs/pictures/tour.webp')
const size = { width: 1080, height: 680 }
const maxBytes = 1_500_000
const quality = 72

/** Takes screenshots of a page. A screenshot equal to the last one extends that frame. */
class Camera {
  readonly frames: Frame[] = []
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  async take(milliseconds: number): Promise<void> {
    const session = await this.#page.context().newCDPSession(this.#page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
    await session.detach()
    const webp = Buffer.from(data, 'base64')
    const last = this.frames.at(-1)
    if (last !== undefined && webp.equals(last.webp)) last.milliseconds += milliseconds
    else this.frames.push({ webp, milliseconds })
  }

  /** Takes screenshots until `work` ends. */
  async during(work: Promise<unknown>, milliseconds: number): Promise<void> {
    let isOver = false
    const end = work.finally(() => {
      isOver = true
    })
    while (!isOver) {
      await this.take(milliseconds)
      await this.#page.waitForTimeout(120)
    }
    await end
  }
}

async function film(page: Page, camera: Camera): Promise<void> {
  const log = page.getByRole('log')
  const approve = page.getByRole('button', { name: /^Approve/ }).first()
  await page.getByRole('button', { name: 'Show me around.' }).waitFor()
  await camera.take(600)
  await page.getByRole('button', { name: 'Show me around.' }).click()
  await camera.during(approve.waitFor(), 90)
  // A card accepts no answer in its first half second.
  await page.waitForTimeout(700)
  await camera.take(1700)
  await approve.hover()
  await camera.take(400)
  await approve.click()
  await camera.during(log.getByText("I'm Argot's demo model").waitFor(), 90)
  await showChanges(page, camera)
  await page.getByRole('button', { name: 'More' }).click()
  await camera.take(600)
  await page.getByRole('menuitem', { name: 'Replay' }).click()
  const slider = page.getByRole('slider')
  await slider.waitFor()
  await page.waitForTimeout(500)
  await camera.take(700)
  await slider.focus()
  for (let step = 0; step < 8; step++) {
    for (let chunk = 0; chunk < 14; chunk++) await page.keyboard.press('ArrowLeft')
    await page.waitForTimeout(150)
    await camera.take(170)
  }
  // To the moment when the call asked for approval.
  await page.keyboard.press('End')
  await page.keyboard.press('PageUp')
  for (let step = 0; step < 14; step++) await page.keyboard.press('ArrowRight')
  await page.waitForTimeout(500)
  await camera.take(1700)
}

/** The review of the turn, if the page has one; otherwise the diff of the call. */
async function showChanges(page: Page, camera: Camera): Promise<void> {
  const log = page.getByRole('log')
  await page.waitForTimeout(400)
  const review = log.getByRole('button', { name: /^Review/ }).last()
  if ((await review.count()) > 0) {
    await review.scrollIntoViewIfNeeded()
    await camera.take(800)
    await review.click()
    await page.waitForTimeout(400)
    await camera.take(2000)
    await page.keyboard.press('Escape')
    await page.waitForTimeout(200)
    return
  }
  await log.getByText('Connect a real model').last().scrollIntoViewIfNeeded()
  await page.waitForTimeout(300)
  await camera.take(2200)
}

process.env.NODE_ENV = 'production'
for (const app of ['web', 'playground']) await build({ root: join(root, 'apps', app), logLevel: 'warn' })
const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-movie-')))
const docs = join(folder, 'tidelog')
await mkdir(docs)
await cp(join(root, 'samples/start'), docs, { recursive: true })
const server = createServer({
  store: folderStore(docs, { key: Buffer.alloc(32, 5) }),
  stateFolder: join(folder, 'state'),
  page: join(root, 'packages/server/page'),
  run: { env: {}, cwd: docs, configFolder: join(folder, 'config') },
})
const listening = await listen(server, { port: 0 })
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
})
try {
  const window = await browser.newContext({ viewport: size, reducedMotion: 'reduce' })
  const page = await window.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`http://127.0.0.1:${listening.port}/`)
  const camera = new Camera(page)
  await film(page, camera)
  const movie = joinFrames(camera.frames, size)
  const seconds = camera.frames.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000
  console.log(
    `docs/pictures/tour.webp: ${camera.frames.length} frames, ${seconds.toFixed(1)} s, ${Math.round(movie.length / 1000)} kB`,
  )
  if (movie.length > maxBytes) throw new Error(`The movie has ${movie.length} bytes, and may have ${maxBytes}.`)
  await writeFile(file, movie)
} finally {
  await browser.close()
  const closing = server.close()
  await listening.close()
  await closing
  await rm(folder, { recursive: true, force: true })
}
