import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleCommand, root } from './bundle-command.ts'
import { listLicences } from './list-licences.ts'

// Part of `npm run build`: writes the command.
const dist = join(root, 'packages/cli/dist')
rmSync(join(dist, 'chunks'), { recursive: true, force: true })
const metafiles = await bundleCommand(dist)
writeFileSync(join(dist, 'third-party.txt'), listLicences(metafiles, root))

// The command includes the page, if that was built.
const page = join(root, 'packages/server/page')
rmSync(join(dist, 'page'), { recursive: true, force: true })
if (existsSync(page)) cpSync(page, join(dist, 'page'), { recursive: true })

// `argot manual` shows the documentation, without the decisions and the pictures.
const manual = join(dist, 'manual')
rmSync(manual, { recursive: true, force: true })
cpSync(join(root, 'docs'), manual, {
  recursive: true,
  filter: path => !/[\\/](?:decisions|pictures)$|\.(?:svg|webp|png)$/.test(path),
})
