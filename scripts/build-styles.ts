import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './bundle-command.ts'
import { joinStyles } from './join-styles.ts'

// The part of `npm run build` that writes the style sheet of `@argot/react`.
const dist = join(root, 'packages/react/dist')
mkdirSync(dist, { recursive: true })
writeFileSync(join(dist, 'styles.css'), joinStyles())
