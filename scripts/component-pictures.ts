import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { withGallery } from './with-gallery.ts'

/**
 * Takes the screenshots in docs/react from the gallery, in Chromium:
 *
 *     npm run shots:docs [-- PICTURE …]
 *
 * They are committed in `docs/react/pictures/`.
 */
const folder = new URL('../docs/react/pictures', import.meta.url).pathname
const maxBytes = 40_000

interface Picture {
  page: string
  width: number
  /** The height of the window, which a whole chat fills. */
  height: number
  /** The texts of buttons to click, in order. */
  click?: readonly string[]
  /** Selectors: from this element to `to`, or this one alone, at full width. Without it, the whole window. */
  from?: string
  to?: string
  isDark?: boolean
  look?: string
}

const pictures: Readonly<Record<string, Picture>> = {
  'tool-card': {
    page: 'states',
    width: 760,
    height: 1400,
    from: '[data-argot-call="w2"]',
    to: '[data-argot-call="i1"]',
  },
  'tool-card-work': { page: 'chat-working', width: 760, height: 820 },
  approval: { page: 'approvals', width: 760, height: 1200, from: '.argot-approval' },
  'approval-review': { page: 'chat-three-approvals', width: 760, height: 820, click: ['Review'] },
  'run-line': { page: 'turn', width: 760, height: 1800, from: '.argot-work >> nth=1', to: '.argot-work >> nth=2' },
  'inline-tool-widget': {
    page: 'widget',
    width: 760,
    height: 2000,
    from: '.argot-widget',
    to: '.argot-widget >> nth=6',
  },
  'bodies-terminal': { page: 'bodies', width: 760, height: 4000, from: '[data-argot-call="t2"]' },
  bodies: { page: 'bodies', width: 760, height: 4000, from: '[data-argot-call="t3"]', to: '[data-argot-call="t5"]' },
  'bodies-tests': {
    page: 'kinds',
    width: 760,
    height: 4000,
    from: '[data-argot-call="k1"]',
    to: '[data-argot-call="k3"]',
  },
  'bodies-records': {
    page: 'kinds',
    width: 760,
    height: 4000,
    from: '[data-argot-call="k4"]',
    to: '[data-argot-call="k6"]',
  },
  'bodies-program': {
    page: 'kinds',
    width: 760,
    height: 4000,
    from: '[data-argot-call="k7"]',
    to: '[data-argot-call="k8"]',
  },
  fences: { page: 'chat-fences', width: 760, height: 620 },
  'chat-box': { page: 'chat-finished', width: 760, height: 440 },
  gallery: { page: 'playground', width: 760, height: 560 },
  'theming-dark': { page: 'chat-approval', width: 760, height: 720, isDark: true },
  'theming-material': { page: 'chat-approval', width: 760, height: 420, look: 'material' },
  'theming-shadcn': { page: 'chat-approval', width: 760, height: 420, look: 'shadcn', isDark: true },
  'theming-plain': { page: 'chat-approval', width: 760, height: 420, look: 'plain' },
}

async function draw(browser: Browser, address: string, name: string): Promise<void> {
  const { page: galleryPage, width, height, click = [], from, to = from, isDark = false, look = '' } = pictures[name]!
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  await page.goto(`${address}?page=${galleryPage}&bare=1&look=${look}`)
  await page.waitForLoadState('networkidle')
  for (const text of click) {
    await page.locator('button:not(.argot-run)', { hasText: text }).first().click({ timeout: 5000 })
    await page.waitForTimeout(500)
  }
  const clip = from === undefined || to === undefined ? undefined : await clipBetween(page, from, to)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 50,
    clip: clip ?? { x: 0, y: 0, width, height, scale: 1 },
  })
  const path = join(folder, `${name}.webp`)
  await writeFile(path, data, 'base64')
  const { size } = await stat(path)
  console.log(`docs/react/pictures/${name}.webp: ${Math.round(size / 1000)} kB`)
  if (size > maxBytes) throw new Error(`${name}.webp has ${size} bytes, and may have ${maxBytes}.`)
  await page.close()
}

/** The full width of the window, from the top of one element to the bottom of another, with a margin. */
async function clipBetween(
  page: Page,
  from: string,
  to: string,
): Promise<Record<'x' | 'y' | 'width' | 'height' | 'scale', number>> {
  const margin = 4
  const first = await page.locator(from).first().boundingBox()
  const last = await page.locator(to).first().boundingBox()
  if (first === null || last === null) throw new Error(`${from} or ${to} is not on the page.`)
  const y = Math.max(0, first.y - margin)
  return { x: 0, y, width: page.viewportSize()!.width, height: last.y + last.height + margin - y, scale: 1 }
}

const names = process.argv.slice(2)
await mkdir(folder, { recursive: true })
await withGallery(async (browser, address) => {
  for (const name of Object.keys(pictures)) {
    if (names.length === 0 || names.includes(name)) await draw(browser, address, name)
  }
})
