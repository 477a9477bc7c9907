import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findRawWrites } from './guards/find-raw-writes.ts'
import { trackedFiles } from './guards/tracked-files.ts'
import { root } from './guards/workspace.ts'

/** Every other file writes with `writeAll`, `FileEnd` or `createWhole`, which write all or throw. */
const allowed: Readonly<Record<string, string>> = {
  'packages/agent/src/files/write-all.ts': 'the one function',
  'packages/create-argot/src/create-project.ts': 'copies a template into an empty folder, and has no dependencies',
  'packages/agent/src/tool/process/hide-own-keys.ts': 'overwrites its own memory, which is no file',
}

test('every write to a file goes through the one function that writes all or throws', () => {
  const found = trackedFiles()
    .filter(path => /^(?:packages|apps)\/[^/]+\/src\/.*\.[cm]?[jt]sx?$/.test(path) && !(path in allowed))
    .flatMap(path =>
      findRawWrites(readFileSync(join(root, path), 'utf8')).map(({ line, name }) => `${path}:${line} ${name}`),
    )
  expect(found).toEqual([])
})

test('the exceptions are still there', () => {
  for (const path of Object.keys(allowed)) expect(findRawWrites(readFileSync(join(root, path), 'utf8'))).not.toEqual([])
})

test.each([
  ["import { writeSync } from 'node:fs'", 'writeSync'],
  ["import { readFileSync, writeFileSync as put } from 'fs'", 'writeFileSync'],
  ["import {\n  open,\n  appendFile,\n} from 'node:fs/promises'", 'appendFile'],
  ["import { createWriteStream } from 'node:fs'", 'createWriteStream'],
  ["import fs from 'node:fs'", "import fs from 'node:fs'"],
  ["import * as fs from 'node:fs'", "import * as fs from 'node:fs'"],
  ["const { open } = await import('node:fs/promises')", "import('node:fs/promises')"],
  ['await handle.writeFile(text)', 'writeFile'],
])('a raw write is found in %j', (text, name) => {
  expect(findRawWrites(text).map(one => one.name)).toEqual([name])
})

test.each(["import { readFileSync, writevx } from 'node:fs'", 'out.write(text)', "import { write } from './write.ts'"])(
  'no raw write is found in %j',
  text => {
    expect(findRawWrites(text)).toEqual([])
  },
)
