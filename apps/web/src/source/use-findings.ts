import type { Diagnostic } from '@argot/core'
import type { DocumentFix } from '@argot/core/chatmd/internal'
import { useEffect, useState } from 'react'
import { api } from '../server/api.ts'
import type { EditedSource } from './use-source.ts'

export interface Finding {
  diagnostic: Diagnostic
  applyFix: (() => string) | undefined
}

export interface SourceFindings {
  /** The first ones. The counts are about all of them. */
  list: readonly Finding[]
  errors: number
  warnings: number
}

/** Further findings are only counted. */
const MOST_FINDINGS = 200
const TYPING_PAUSE_MS = 250

/**
 * A text's findings. The server checks the text on the disk, and a draft as soon as typing stops. A call without a
 * response is no problem while a run is live.
 */
export function useFindings(source: EditedSource, document: string, isLive: boolean): SourceFindings {
  const { text, isChanged, diagnostics } = source
  const [findings, setFindings] = useState<SourceFindings>({ list: [], errors: 0, warnings: 0 })
  useEffect(() => {
    if (text === undefined) return
    const stop = new AbortController()
    const look = async (): Promise<void> => {
      // Without a server the tools can't be loaded: the server's last diagnostics are shown without fixes.
      const tools = await import('./source-tools.ts').catch(() => undefined)
      const show = (all: readonly Diagnostic[]): void => {
        if (stop.signal.aborted) return
        const visible = isLive ? all.filter(({ code }) => code !== 'CHATMD_CALL_WITHOUT_RESPONSE') : all
        const fixes = visible.length === 0 ? [] : (tools?.findFixes(text) ?? [])
        const list = visible.slice(0, MOST_FINDINGS).map(one => toFinding(one, text, document, fixes))
        setFindings({ list, errors: count(visible, 'error'), warnings: count(visible, 'warning') })
      }
      if (!isChanged) return show(diagnostics)
      // Only the server knows the tools and the other files. Without it, the page checks the text alone.
      show(
        await api
          .checkDraft(document, text, stop.signal)
          .catch(() => tools?.checkChatMd(text, { file: document }) ?? []),
      )
    }
    const timer = setTimeout(() => void look(), isChanged ? TYPING_PAUSE_MS : 0)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [text, isChanged, diagnostics, document, isLive])
  return findings
}

function count(diagnostics: readonly Diagnostic[], severity: Diagnostic['severity']): number {
  return diagnostics.filter(one => one.severity === severity).length
}

function toFinding(diagnostic: Diagnostic, text: string, document: string, fixes: readonly DocumentFix[]): Finding {
  const { code, range } = diagnostic
  const fix = isOwn(diagnostic, document)
    ? fixes.find(one => one.code === code && one.start === range?.start.offset)
    : undefined
  if (fix === undefined) return { diagnostic, applyFix: undefined }
  const { start, end, text: better } = fix.change
  return { diagnostic, applyFix: () => tidy(text.slice(0, start), better) + text.slice(end) }
}

/** Whether it is about the document itself, not about a file that it refers to. */
export function isOwn({ file }: Diagnostic, document: string): boolean {
  return file === undefined || file === document || file.endsWith(`/${document}`)
}

/** Removes the gap that a deletion leaves. */
function tidy(before: string, better: string): string {
  let end = before.length
  if (better === '') while (end > 0 && ' \t'.includes(before[end - 1]!)) end--
  return before.slice(0, end) + better
}
