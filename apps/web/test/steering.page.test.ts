import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, finish, scriptedModel } from '../../../packages/agent/test/scripted-model.ts'
import { gate } from '../../../packages/server/test/clients/gate.ts'
import { barriers } from './barriers.ts'
import { look } from './look.ts'
import { serveSample } from './open-page.ts'

/** An old summary in the document, as a long run leaves one. */
const summarised = `<tool name="read_dir"/>

<user>
Plan a trip.
</user>

<assistant>
Where to?
</assistant>

<developer part="data-argot-summary" replaces="1-2">
Summary of the conversation up to here, which the model reads in place of it:

A trip is planned; nobody has said where to.
</developer>

<user>
To Bergen.
</user>

<assistant>
Bergen it is.
</assistant>
`

test('while a run works, Enter queues and Alt Enter steers; a summary is a fold with its text', async () => {
  const first = gate()
  const model = scriptedModel(
    [[...call('c1', 'read_dir', { path: '.' }), finish('tool-calls')], 'With the sun.', 'And the rain.'],
    { before: part => (part.type === 'tool-input-end' ? first.wait() : undefined) },
  )
  const { open, folder } = await serveSample({ run: { model } })
  await writeFile(join(folder, 'trip.chatmd'), summarised)
  const page = await open('#/trip.chatmd')
  const log = page.getByRole('log')
  const message = page.getByRole('textbox', { name: 'Message' })
  const fold = log.getByText(/^Turns 1–2 are summarised for the model$/)
  await fold.waitFor()
  const words = log.getByText('A trip is planned; nobody has said where to.')
  expect(await words.isVisible()).toBe(false)
  await fold.click()
  await words.waitFor()
  expect(await barriers(page)).toEqual([])
  await look(page, 'summary')
  await message.fill('What do I need?')
  await message.press('Enter')
  await first.reached
  await message.fill('After that: and in the rain?')
  await message.press('Enter')
  await page.getByRole('list', { name: 'Sent when this run ends' }).waitFor()
  await message.fill('I like the sun.')
  await message.press('Alt+Enter')
  await page.getByRole('list', { name: 'Joins at the next step' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await look(page, 'steering')
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
  first.open()
  await log.getByText('With the sun.').waitFor()
  await log.getByText('And the rain.').waitFor()
  const said = await log.getByRole('article', { name: 'You' }).allTextContents()
  expect(said.slice(-3).map(text => text.replace(/\d\d:\d\d.*$/s, ''))).toEqual([
    'What do I need?',
    'I like the sun.',
    'After that: and in the rain?',
  ])
})
