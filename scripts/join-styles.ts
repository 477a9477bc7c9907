import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './bundle-command.ts'

/** The style sheet of `@argot/react` as users get it: one file, with the parts in place of their imports. */
export function joinStyles(): string {
  const sheet = join(root, 'packages/react/styles.css')
  return readFileSync(sheet, 'utf8').replace(/^@import "(.+)";\n/gm, (_, path: string) =>
    readFileSync(join(dirname(sheet), path), 'utf8'),
  )
}
