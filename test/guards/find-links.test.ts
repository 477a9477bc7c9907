import { expect, test } from 'vitest'
import { anchorsOf, findLinks } from './find-links.ts'

test('findLinks gives links and pictures with their lines, and none of code', () => {
  const page =
    'See [a](a.md) and ![b](b.png).\n\n```\n[c](c.md)\n```\n`[d](d.md)` | [`e`](e.md#x "title")\n   ```ts\n[f](f.md)\n   ```\n[g](#g)'
  expect(findLinks(page)).toEqual([
    { line: 1, target: 'a.md' },
    { line: 1, target: 'b.png' },
    { line: 6, target: 'e.md#x' },
    { line: 10, target: '#g' },
  ])
})

test('anchorsOf gives the anchors of GitHub', () => {
  const page = "# To add …\n## A run's way, `code` & [link](x.md)\n## Twice\n## Twice\n```\n# no heading\n```"
  expect([...anchorsOf(page)]).toEqual(['to-add-', 'a-runs-way-code--link', 'twice', 'twice-1'])
})
