import { useSyncExternalStore } from 'react'
import type { CallUi } from '../store/call-ui.ts'
import { never } from './use-value.ts'

const nothing = (): undefined => undefined

/** Renders again when something changes that the page knows of a call. */
export function useVersion(ui: CallUi | undefined): void {
  const get = ui?.version ?? nothing
  useSyncExternalStore(ui?.subscribe ?? never, get, get)
}
