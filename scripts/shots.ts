import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { withGallery } from './with-gallery.ts'

/**
 * Draws every page of the gallery in Chromium, light and dark, narrow, in forced colours, and enlarged:
 *
 *     npm run shots [-- PAGE …]
 *
 * The pictures are in `shots/`, which is not kept.
 */
const root = new URL('..', import.meta.url).pathname
const folder = join(root, 'shots')

/** A taller page becomes several pictures: one that is scaled down cannot be judged. */
const tallest = 1500

/** What is shown only after a click: the page, and the buttons that are pressed one after another. */
const opened: Readonly<Record<string, { page: string; click: readonly string[]; width?: number }>> = {
  'opened-deny': { page: 'chat-approval', click: ['Deny…'] },
  'opened-edit': { page: 'approvals', click: ['Edit input'] },
  'opened-always': { page: 'chat-approval', click: ['Always in this run'] },
  'opened-review': { page: 'chat-three-approvals', click: ['Review'] },
  'opened-find': { page: 'chat-finished', click: ['Find in the conversation'] },
  'opened-agent': { page: 'chat-agents', click: ['reviewer'] },
  'opened-pane': { page: 'chat-5-mb', click: ['Open'] },
  'opened-sides': { page: 'chat-diff', click: ['Open'], width: 1340 },
}

interface Look {
  name: string
  width: number
  query?: string
  dark?: boolean
  forced?: boolean
  /** 2 is a zoom of 200 %: half the width in CSS pixels, each drawn twice as large. */
  zoom?: number
  /** On these pages only. */
  pages?: readonly string[]
}

/** Themes change colours and corners only: these pages have all of them. */
const themed: readonly string[] = ['states', 'chat-approval', 'chat-finished', 'chat-diff']

const looks: readonly Look[] = [
  { name: 'light', width: 800 },
  { name: 'dark', width: 800, dark: true },
  { name: '390', width: 390 },
  { name: '320', width: 320 },
  { name: 'forced-colors', width: 800, forced: true },
  { name: 'zoom-200', width: 800, zoom: 2 },
  { name: 'rtl', width: 800, query: '&dir=rtl' },
  ...['material', 'shadcn', 'plain'].flatMap(look => [
    { name: look, width: 800, query: `&look=${look}`, pages: themed },
    { name: `${look}-dark`, width: 800, query: `&look=${look}`, dark: true, pages: themed },
  ]),
  { name: 'compact', width: 800, query: '&density=compact', pages: themed },
]

const pages = [
  ...['states', 'turn', 'bodies', 'kinds', 'approvals', 'widget', 'playground', 'document'],
  ...['chat-empty', 'chat-working', 'chat-approval', 'chat-three-approvals', 'chat-finished', 'chat-failed'],
  ...[
    'chat-denied',
    'chat-stopped',
    'chat-5-mb',
    'chat-lost',
    'chat-diff',
    'chat-agents',
    'chat-arabic',
    'chat-loading',
    'chat-fences',
  ],
  ...Object.keys(opened),
]

/** `npm run shots -- turn chat-lost --looks=light,dark` */
async function main(given: readonly string[]): Promise<void> {
  const wanted = given.filter(one => !one.startsWith('--'))
  const named = given
    .find(one => one.startsWith('--looks='))
    ?.slice('--looks='.length)
    .split(',')
  await mkdir(folder, { recursive: true })
  await withGallery(async (browser, address) => {
    for (const page of pages.filter(one => wanted.length === 0 || wanted.includes(one))) {
      const width = opened[page]?.width
      const all = width === undefined ? looks : looks.filter(look => look.width === 800 && look.zoom === undefined)
      for (const look of all.filter(
        one => (named?.includes(one.name) ?? true) && (one.pages?.includes(page) ?? true),
      )) {
        await shoot(browser, address, page, { ...look, width: width ?? look.width })
      }
    }
  })
}

async function shoot(browser: Browser, address: string, name: string, look: Look): Promise<void> {
  const zoom = look.zoom ?? 1
  const page = await browser.newPage({
    viewport: { width: look.width / zoom, height: 900 },
    deviceScaleFactor: zoom,
    colorScheme: look.dark === true ? 'dark' : 'light',
    forcedColors: look.forced === true ? 'active' : 'none',
    reducedMotion: 'reduce',
  })
  await page.goto(`${address}?page=${opened[name]?.page ?? name}&bare=1${look.query ?? ''}`)
  await settled(page)
  for (const text of opened[name]?.click ?? []) {
    await page.locator('button:not(.argot-run)', { hasText: text }).first().click({ timeout: 5000 })
    // What it opens may be a chunk that is loaded now.
    await page.waitForTimeout(500)
    await settled(page)
  }
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  const count = Math.max(1, Math.round(height / tallest))
  for (let part = 0; part < count; part++) {
    const y = part * tallest
    const clip = { x: 0, y, width: look.width / zoom, height: part === count - 1 ? height - y : tallest }
    const number = count > 1 ? `-${part + 1}` : ''
    await page.screenshot({ path: join(folder, `${name}-${look.name}${number}.png`), fullPage: true, clip })
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  if (wide) console.log(`${name}-${look.name}: the page scrolls sideways`)
  await page.close()
}

/** Lazy chunks are loaded and fonts are there. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => document.fonts.ready)
}

await main(process.argv.slice(2))
