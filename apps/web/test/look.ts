import { join } from 'node:path'
import type { Page } from 'playwright'

/** With `LOOK=FOLDER` a picture of the page as it is now is put there, for somebody to look at. */
export async function look(page: Page, name: string): Promise<void> {
  const { LOOK } = process.env
  if (LOOK !== undefined) await page.screenshot({ path: join(LOOK, `${name}.png`) })
}
