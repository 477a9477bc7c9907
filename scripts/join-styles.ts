import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './bundle-command.ts'

/** `@argot/react`'s style sheets: the chat, a closed card, and what an open card adds to it. */
export const sheets = ['styles.css', 'card.css', 'card-open.css'] as const

/** Each is imported in addition to a style sheet. */
export const themes = ['material.css', 'plain.css', 'shadcn.css'] as const

/** A style sheet as users get it: one file, with every import replaced by its content. */
export function joinStyles(name: (typeof sheets)[number]): string {
  return joinImports(join(root, 'packages/react', name))
}

function joinImports(sheet: string): string {
  return readFileSync(sheet, 'utf8').replace(/^@import "(.+)";\n/gm, (_, path: string) =>
    joinImports(join(dirname(sheet), path)),
  )
}
