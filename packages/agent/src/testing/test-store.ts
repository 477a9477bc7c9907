import { belongingLaws } from './belonging-laws.ts'
import { documentLaws } from './document-laws.ts'
import { followLaws } from './follow-laws.ts'
import { fullLaws } from './full-laws.ts'
import { inboxLaws } from './inbox-laws.ts'
import { killLaws } from './kill-laws.ts'
import { leaseLaws } from './lease-laws.ts'
import { logLaws } from './log-laws.ts'
import { removalLaws } from './removal-laws.ts'
import type { StoreHarness, StorePlace } from './store-harness.ts'
import { documentPath, documentText, type StoreLaw } from './store-law.ts'
import { watchLaws } from './watch-laws.ts'

const laws: readonly StoreLaw[] = [
  ...[...documentLaws, ...leaseLaws, ...logLaws],
  ...[...followLaws, ...watchLaws, ...inboxLaws, ...killLaws, ...fullLaws],
  ...[...removalLaws, ...belongingLaws],
]

const defaultDocuments = { [documentPath]: documentText }

/**
 * Declares one test for each guarantee of a store.
 *
 *     import { testStore } from '@argot/agent/testing'
 *     import { test } from 'vitest'
 *
 *     testStore({ name: 'my store', test, create: documents => makePlace(documents) })
 */
export function testStore({ name, test, create, skip = {} }: StoreHarness): void {
  for (const law of laws) {
    const reason = law.needs === undefined ? undefined : skip[law.needs]
    if (reason !== undefined) {
      test.skip?.(`${name}: ${law.name} (skipped: ${reason})`, async () => {})
      continue
    }
    test(`${name}: ${law.name}`, async () => {
      const places: StorePlace[] = []
      const createPlace = async (
        documents: Readonly<Record<string, string>> = defaultDocuments,
      ): Promise<StorePlace> => {
        const place = await create(documents)
        places.push(place)
        return place
      }
      try {
        await law.check(await createPlace(), createPlace)
      } finally {
        for (const place of places) await place.remove()
      }
    })
  }
}
