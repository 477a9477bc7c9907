import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './bundle-command.ts'
import { joinStyles, sheets, themes } from './join-styles.ts'

// The part of `npm run build` that writes the style sheets of `@argot/react`.
const react = join(root, 'packages/react')
mkdirSync(join(react, 'dist/themes'), { recursive: true })
for (const name of sheets) writeFileSync(join(react, 'dist', name), joinStyles(name))
for (const name of themes) copyFileSync(join(react, 'themes', name), join(react, 'dist/themes', name))
