import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './bundle-command.ts'
import { joinStyles, sheets, themes } from './join-styles.ts'

// Part of `npm run build`: writes `@argot/react`'s style sheets.
const react = join(root, 'packages/react')
mkdirSync(join(react, 'dist/themes'), { recursive: true })
for (const name of sheets) writeFileSync(join(react, 'dist', name), joinStyles(name))
for (const name of themes) copyFileSync(join(react, 'themes', name), join(react, 'dist/themes', name))
