import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './bundle-command.ts'

/** The style sheets of `@argot/react`: the chat, a closed card, and what an open card needs besides. */
export const sheets = ['styles.css', 'card.css', 'card-open.css'] as const

/** The themes, each a file that is imported besides a sheet. */
export const themes = ['material.css', 'plain.css', 'shadcn.css'] as const

/** A style sheet as users get it: one file, with the parts in place of their imports. */
export function joinStyles(name: (typeof sheets)[number]): string {
  return joinImports(join(root, 'packages/react', name))
}

function joinImports(sheet: string): string {
  return readFileSync(sheet, 'utf8').replace(/^@import "(.+)";\n/gm, (_, path: string) =>
    joinImports(join(dirname(sheet), path)),
  )
}
