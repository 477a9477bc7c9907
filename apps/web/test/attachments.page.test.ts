import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { barriers } from './barriers.ts'
import { serveSample } from './open-page.ts'

/** A red dot of 2 × 1. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAEElEQVR4nGP4z8AAQUAEAgAh7gP9VqYJPgAAAABJRU5ErkJggg=='

/** Gives files to the composer as a paste or a drop does. */
async function give(page: Page, type: 'paste' | 'drop', name: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).evaluate(
    (field, { type, name, data }) => {
      const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0))
      const transfer = new DataTransfer()
      transfer.items.add(new File([bytes], name, { type: 'image/png' }))
      const target = type === 'drop' ? document.querySelector('[role="log"]')! : field
      const event =
        type === 'drop'
          ? new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
      target.dispatchEvent(event)
    },
    { type, name, data: png },
  )
}

test('files that are pasted, dropped and chosen go with the message into the document, and are shown', async () => {
  const { open, folder } = await serveSample()
  const page = await open()
  await give(page, 'paste', 'pasted.png')
  await give(page, 'drop', 'dropped.png')
  await page.locator('input[type=file]').setInputFiles([
    { name: 'chosen.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('A <b>note</b>') },
  ])
  await page.getByRole('button', { name: 'Remove pasted.png' }).click()
  await expect
    .poll(() => page.locator('.argot-composer').getByRole('listitem').allTextContents())
    .toEqual(['dropped.png✕', 'chosen.png✕', 'notes.txt✕'])
  expect(await barriers(page)).toEqual([])
  await page.getByRole('textbox', { name: 'Message' }).fill('What is this?')
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByRole('button', { name: 'Try again' }).waitFor()
  const text = await readFile(join(folder, 'welcome.chatmd'), 'utf8')
  expect(text.match(/<img [^>]*filename="[^"]+"/g)?.map(one => /filename="(.+)"/.exec(one)?.[1])).toEqual([
    'dropped.png',
    'chosen.png',
    'notes.txt',
  ])
  await page.reload()
  const message = page.getByRole('log').getByRole('article', { name: 'You' })
  const picture = message.getByRole('img', { name: 'dropped.png' })
  await picture.waitFor()
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.width]))
    .toEqual([2, 2])
  await message.getByText('notes.txt').waitFor()
  expect(await barriers(page)).toEqual([])
})

test('more than a message takes is refused with a reason, and the rest is kept', async () => {
  const { open } = await serveSample()
  const page = await open()
  const file = (name: string, bytes: number): { name: string; mimeType: string; buffer: Buffer } => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(bytes),
  })
  const chips = page.locator('.argot-composer').getByRole('listitem')
  await page.locator('input[type=file]').setInputFiles([file('small.bin', 10), file('large.bin', 10_000_000)])
  await page.getByRole('alert').getByText('large.bin is too large').waitFor()
  await expect.poll(() => chips.count()).toBe(1)
  await page
    .locator('input[type=file]')
    .setInputFiles(Array.from({ length: 12 }, (_, index) => file(`${index}.bin`, 1)))
  await page.getByRole('alert').getByText('Up to 10 files').waitFor()
  await expect.poll(() => chips.count()).toBe(10)
})
