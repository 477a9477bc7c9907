import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { withGallery } from './with-gallery.ts'

/**
 * Takes screenshots of every gallery page in Chromium: light and dark, narrow, in forced colours, and zoomed:
 *
 *     npm run shots [-- PAGE …]
 *
 * They go to `shots/`, which is not committed.
 */
const root = new URL('..', import.meta.url).pathname
const folder = join(root, 'shots')

/** A taller page becomes several screenshots, because a scaled one is too small to inspect. */
const tallest = 1500

/** Views that need clicks: the page, and the texts of buttons to click, in order. */
const clickedViews: Readonly<Record<string, { page: string; click: readonly string[]; width?: number }>> = {
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
  /** 2 is a zoom of 200 %: half the width in CSS pixels, at twice the scale. */
  zoom?: number
  /** Only for these pages. */
  pages?: readonly string[]
}

/** Themes change only colours and corners, and these pages show all of them. */
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
  ...Object.keys(clickedViews),
]

/** `npm run shots -- turn chat-lost --looks=light,dark` */
async function main(args: readonly string[]): Promise<void> {
  const pageNames = args.filter(one => !one.startsWith('--'))
  const lookNames = args
    .find(one => one.startsWith('--looks='))
    ?.slice('--looks='.length)
    .split(',')
  await mkdir(folder, { recursive: true })
  await withGallery(async (browser, address) => {
    for (const page of pages.filter(one => pageNames.length === 0 || pageNames.includes(one))) {
      const width = clickedViews[page]?.width
      const all = width === undefined ? looks : looks.filter(look => look.width === 800 && look.zoom === undefined)
      for (const look of all.filter(
        one => (lookNames?.includes(one.name) ?? true) && (one.pages?.includes(page) ?? true),
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
  await page.goto(`${address}?page=${clickedViews[name]?.page ?? name}&bare=1${look.query ?? ''}`)
  await waitUntilLoaded(page)
  for (const text of clickedViews[name]?.click ?? []) {
    await page.locator('button:not(.argot-run)', { hasText: text }).first().click({ timeout: 5000 })
    // The click may load a chunk.
    await page.waitForTimeout(500)
    await waitUntilLoaded(page)
  }
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  const count = Math.max(1, Math.round(height / tallest))
  for (let part = 0; part < count; part++) {
    const y = part * tallest
    const clip = { x: 0, y, width: look.width / zoom, height: part === count - 1 ? height - y : tallest }
    const number = count > 1 ? `-${part + 1}` : ''
    await page.screenshot({ path: join(folder, `${name}-${look.name}${number}.png`), fullPage: true, clip })
  }
  const isTooWide = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  )
  if (isTooWide) console.log(`${name}-${look.name}: the page scrolls sideways`)
  await page.close()
}

/** Resolves when lazy chunks and fonts are loaded. */
async function waitUntilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => document.fonts.ready)
}

await main(process.argv.slice(2))
