import { BranchPicker } from '@argot/react'
import { type ReactNode, useState } from 'react'
import { expect, test } from 'vitest'
import { button, mount } from './mount.tsx'

function Branches({ count }: { count: number }): ReactNode {
  const [index, setIndex] = useState(0)
  return <BranchPicker index={index} count={count} onChange={setIndex} />
}

test('branches of an answer are gone through by name, and stop at both ends without losing focus', async () => {
  const { host, render } = mount(<Branches count={3} />)
  const next = await button(host, 'Next answer')
  const place = () => host.querySelector('[role="group"]')?.getAttribute('aria-label')
  expect(place()).toBe('Answer 1 of 3')
  next.focus()
  next.click()
  await expect.poll(place).toBe('Answer 2 of 3')
  next.click()
  await expect.poll(place).toBe('Answer 3 of 3')
  next.click()
  expect(host.textContent).toContain('3/3')
  expect(next.ariaDisabled).toBe('true')
  expect(document.activeElement).toBe(next)
  ;(await button(host, 'Previous answer')).click()
  await expect.poll(place).toBe('Answer 2 of 3')
  render(<Branches count={1} />)
  await expect.poll(place).toBeUndefined()
})
