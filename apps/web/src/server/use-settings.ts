import type { DocumentSettings } from '@argot/server/api'
import { useEffect, useState } from 'react'
import { api } from './api.ts'

export function useSettings(document: string | undefined, stamp: string): DocumentSettings | undefined {
  const [loaded, setLoaded] = useState<{ document: string; settings: DocumentSettings }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new stamp is a reason to ask
  useEffect(() => {
    if (document === undefined) return
    let isMounted = true
    api.settings(document).then(
      settings => isMounted && setLoaded({ document, settings }),
      () => {},
    )
    return () => {
      isMounted = false
    }
  }, [document, stamp])
  return loaded?.document === document ? loaded?.settings : undefined
}
