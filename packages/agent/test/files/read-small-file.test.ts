import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readSmallFile } from '../../src/files/read-small-file.ts'

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'argot-small-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  mkdirSync(join(path, 'inside'))
  return path
}

test('a small file in the root is read, also through a link that stays inside', () => {
  const root = folder()
  writeFileSync(join(root, 'inside', 'a.json'), '{"é":1}')
  symlinkSync(join(root, 'inside'), join(root, 'link'))
  const expected = { path: join(root, 'inside', 'a.json'), bytes: Buffer.from('{"é":1}') }
  expect(readSmallFile(join(root, 'inside', 'a.json'), root)).toEqual(expected)
  expect(readSmallFile(join(root, 'link', 'a.json'), root)).toEqual(expected)
})

test('what lies outside is not read, by whatever way it is reached', () => {
  const outside = folder()
  const root = join(outside, 'inside')
  writeFileSync(join(outside, 'secret'), 'secret')
  symlinkSync(join(outside, 'secret'), join(root, 'link'))
  symlinkSync(outside, join(root, 'up'))
  for (const name of ['link', 'up/secret', '../secret', join(outside, 'secret')]) {
    expect(readSmallFile(join(root, name), root), name).toBeUndefined()
  }
})

test('what is not a small file with something in it is left to who can say why', () => {
  const root = folder()
  writeFileSync(join(root, 'empty'), '')
  writeFileSync(join(root, 'large'), 'x'.repeat(256 * 1024 + 1))
  execFileSync('mkfifo', [join(root, 'pipe')])
  symlinkSync('circle', join(root, 'circle'))
  for (const name of ['empty', 'large', 'pipe', 'circle', 'inside', 'nothing', 'nul\0', '']) {
    expect(readSmallFile(`${root}/${name}`, root), name).toBeUndefined()
  }
  writeFileSync(join(root, 'large'), 'x'.repeat(256 * 1024))
  expect(readSmallFile(join(root, 'large'), root)?.bytes.length).toBe(256 * 1024)
})
