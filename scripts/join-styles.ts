import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './bundle-command.ts'

/** The style sheets of `@argot/react`: the chat, a closed card, and what an open card needs besides. */
export const sheets = ['styles.css', 'card.css', 'card-open.css'] as const

/** The themes, each a file that is imported besides a sheet. */
export const themes = ['material.css', 'plain.css', 'shadcn.css'] as const

/** A style sheet as users get it: one file, with the parts in place of their imports. */
export function joinStyles(name: (typeof sheets)[number]): string {
  const sheet = join(root, 'packages/react', name)
  return readFileSync(sheet, 'utf8').replace(/^@import "(.+)";\n/gm, (_, path: string) =>
    readFileSync(join(dirname(sheet), path), 'utf8'),
  )
}
