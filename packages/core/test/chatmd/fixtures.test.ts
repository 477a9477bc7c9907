import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { checkChatMd, formatChatMd, parseChatMd, printChatMd } from '@argot/core/chatmd'
import type { ElementNode, TreeNode } from '@argot/core/chatmd/internal'
import { describe, expect, test } from 'vitest'
import { describeFixture, fixtures } from './fixtures.ts'
import { meaning } from './meaning.ts'

describe.each(fixtures)('$name', fixture => {
  const { source, file } = fixture

  test('reads as recorded', async () => {
    const text = `${JSON.stringify(await describeFixture(fixture), null, 2)}\n`
    const recorded = file.replace(/\.chatmd$/, '.json')
    if (process.env.UPDATE === '1') writeFileSync(recorded, text)
    expect(existsSync(recorded), 'UPDATE=1 writes it').toBe(true)
    expect(text).toBe(readFileSync(recorded, 'utf8'))
  })

  test('prints as it is, and formats without a change of meaning', async () => {
    expect(printChatMd(parseChatMd(source).document)).toBe(source)
    const formatted = formatChatMd(source)
    expect(formatChatMd(formatted)).toBe(formatted)
    expect(await meaning(formatted)).toBe(await meaning(source))
  })

  test('can be cut anywhere: it still reads, and what is left open is reported there', () => {
    const elements = elementsOf(parseChatMd(source).document.tree.children)
    const isClean = checkChatMd(source).every(one => one.severity !== 'error')
    for (let cut = 0; cut <= source.length; cut++) {
      const prefix = source.slice(0, cut)
      const { document, diagnostics } = parseChatMd(prefix)
      expect(printChatMd(document)).toBe(prefix)
      if (!isClean) continue
      for (const { start, end, openEnd, name } of elements) {
        if (cut <= start || cut >= end) continue
        // What is always empty ends at its `>`.
        if (cut >= openEnd && ['config', 'tool', 'import', 'doc', 'img'].includes(name)) continue
        const starts = diagnostics.filter(one => one.severity === 'error').map(one => one.range!.start.offset)
        expect(
          starts.some(at => at >= start && at < cut),
          `cut at ${cut}, element at ${start}`,
        ).toBe(true)
        expect(document.tree.cutAt, `cut at ${cut}`).toBe(start)
      }
    }
  })
})

function elementsOf(nodes: readonly TreeNode[]): ElementNode[] {
  return nodes.filter(node => node.type === 'element')
}
