import { lstat, readFile } from 'node:fs/promises'
import type { JsonSchema } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import type { PlannedWrite } from '../../files/keep-files.ts'
import type { Workspace } from '../../files/workspace.ts'
import { askAboutDocuments } from '../ask-about-documents.ts'
import { defineBuiltinTool, withDetails } from '../define-tool.ts'
import { type ForeseenChange, identifyContent, MISSING } from '../foreseen-change.ts'
import type { Tool } from '../tool.ts'
import { dividePatch } from './divide-patch.ts'
import { type PatchSection, parsePatch } from './parse-patch.ts'
import { type PlannedChange, planPatch } from './plan-patch.ts'
import { writeChanges } from './write-changes.ts'

const IDENTIFIED_BYTES = 16 * 1024 * 1024

export interface PatchDetail {
  path: string
  /** The previous path of a moved file. */
  from?: string
  operation: PlannedChange['operation']
  added: number
  removed: number
  diff: string
}

const description = `Changes files with a patch: adds, updates, moves and deletes. All of it is done, or nothing.

*** Begin Patch
*** Add File: docs/new.md
+Every line of a new file begins with a plus.
*** Update File: src/cart.ts
*** Move to: src/basket.ts
@@ class Cart {
@@   total() {
     let sum = 0
-    return 0
+    for (const item of this.items) sum += item.price
+    return sum
   }
*** Delete File: src/old.ts
*** End Patch

In an update, a line begins with a blank (it stays), - (it goes) or + (it comes). Give about three lines that stay before
and after each change, exactly as the file has them. Begin every place in the file with @@; where the lines around a
change occur more than once, name the class or function after @@. \`*** Move to:\` is only for renaming. Write
\`*** End of File\` after the last line of a hunk that is at the end of the file.`

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    patch: {
      type: 'string',
      description: 'The patch, from `*** Begin Patch` to `*** End Patch`.',
      examples: ['*** Begin Patch\n*** Add File: notes.md\n+# Notes\n*** End Patch\n'],
    },
  },
  required: ['patch'],
  additionalProperties: false,
}

/** Creates the tool `apply_patch`, which changes the files of a workspace: everything in a patch, or nothing. */
export function createApplyPatchTool(workspace: Workspace): Tool {
  return defineBuiltinTool<{ patch: string }>(
    {
      name: 'apply_patch',
      title: 'Apply a patch',
      description,
      inputSchema,
      effect: 'write',
      subject: ({ patch }) => ({ kind: 'path', paths: listPaths(patch) }),
      async foresee({ patch }) {
        const sections = parsePatch(patch)
        const changes = await planPatch(sections, workspace)
        const parts = dividePatch(sections, changes)
        return Promise.all(
          changes.map(async (change, index) => ({
            ...(await foresee(change, workspace)),
            ...defined({ parts: parts?.[index] }),
          })),
        )
      },
      async execute({ patch }, { signal, keepFiles }) {
        const sections = parsePatch(patch)
        const changes = await withFiles(sections, workspace, async () => {
          const planned = await planPatch(sections, workspace)
          await keepFiles?.(planned.flatMap(toPlannedWrites))
          signal.throwIfAborted()
          await writeChanges(planned, workspace)
          return planned
        })
        const details = changes.map(change => toDetail(change, workspace))
        return withDetails(details.map(describeDetail).join('\n'), details)
      },
    },
    {
      mustAsk: ({ patch }) => askAboutDocuments(workspace, listPaths(patch)),
      reshape,
    },
  )
}

function toPlannedWrites(change: PlannedChange): PlannedWrite[] {
  const { real } = change
  if (change.operation === 'delete') return [{ real, after: undefined }]
  if (change.operation !== 'move') return [{ real, after: change.text }]
  const { from, text } = change
  return [
    { real: from, after: undefined },
    { real, after: text, from },
  ]
}

/** The files that a patch names; none if it can't be parsed, since then nothing is changed. */
function listPaths(patch: string): string[] {
  try {
    return parsePatch(patch).flatMap(sectionPaths)
  } catch {
    return []
  }
}

function sectionPaths(section: PatchSection): string[] {
  return section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path]
}

/** No other call changes these files meanwhile. Files are locked in order, so that calls can't deadlock. */
async function withFiles<T>(
  sections: readonly PatchSection[],
  workspace: Workspace,
  work: () => Promise<T>,
): Promise<T> {
  const reals = new Set<string>()
  for (const section of sections) {
    for (const path of sectionPaths(section)) {
      const real = await workspace.locate(path).catch(() => workspace.locateNew(path).catch(() => undefined))
      if (real !== undefined) reals.add(real)
    }
  }
  let chain = work
  for (const real of [...reals].sort().reverse()) {
    const inner = chain
    chain = () => workspace.alone(real, inner)
  }
  return chain()
}

/** Models are trained on `{ patch }`, on `{ input }`, and on the text alone. */
function reshape(input: unknown): unknown {
  if (typeof input === 'string') return { patch: input }
  if (typeof input === 'object' && input !== null && !Object.hasOwn(input, 'patch') && Object.hasOwn(input, 'input')) {
    const { input: patch, ...rest } = input as { input: unknown }
    return { patch, ...rest }
  }
  return input
}

function toDetail(change: PlannedChange, workspace: Workspace): PatchDetail {
  const { added, removed, text } = change.diff
  return {
    path: workspace.show(change.real),
    ...defined({ from: change.operation === 'move' ? workspace.show(change.from) : undefined }),
    operation: change.operation,
    added,
    removed,
    diff: text,
  }
}

/** By its content; for a file that is too large to read, by its metadata. */
async function identifyFile(real: string): Promise<string> {
  const { size, mtimeMs, ino } = await lstat(real)
  return identifyContent(size > IDENTIFIED_BYTES ? JSON.stringify([size, mtimeMs, ino]) : await readFile(real))
}

/** Deleting a file concerns its whole content. */
async function foresee(change: PlannedChange, workspace: Workspace): Promise<ForeseenChange> {
  const { added: _, removed: __, ...foreseen } = toDetail(change, workspace)
  const { operation } = change
  if (operation === 'add') return { ...foreseen, before: MISSING }
  const original = operation === 'move' ? change.from : change.real
  const before = operation === 'update' ? identifyContent(change.original) : await identifyFile(original)
  return { ...foreseen, before, isWhole: operation === 'delete' }
}

function describeDetail({ operation, path, from, added, removed }: PatchDetail): string {
  if (operation === 'add') return `A ${path} (+${added})`
  if (operation === 'delete') return `D ${path} (−${removed})`
  const count = `(+${added} −${removed})`
  return operation === 'move' ? `R ${from} → ${path} ${count}` : `M ${path} ${count}`
}
