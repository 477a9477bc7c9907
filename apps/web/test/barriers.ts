import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What is wrong with the page for those who do not see it, or use no mouse. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axePath, 'utf8'))
  return page.evaluate(async () => {
    // Colours that are on their way are no colours to be judged; what turns for ever does not count.
    const moving = document.getAnimations().filter(one => one.effect?.getComputedTiming().endTime !== Infinity)
    await Promise.all(moving.map(one => one.finished.catch(() => {})))
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
  })
}
