import type { DocumentSettings } from '@argot/server/api'
import { useEffect, useState } from 'react'
import { api } from './api.ts'

export function useSettings(document: string | undefined, stamp: string): DocumentSettings | undefined {
  const [known, setKnown] = useState<{ document: string; settings: DocumentSettings }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new stamp is a reason to ask
  useEffect(() => {
    if (document === undefined) return
    let isHere = true
    api.settings(document).then(
      settings => isHere && setKnown({ document, settings }),
      () => {},
    )
    return () => {
      isHere = false
    }
  }, [document, stamp])
  return known?.document === document ? known?.settings : undefined
}
