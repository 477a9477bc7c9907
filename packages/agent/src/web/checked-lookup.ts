import { lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'
import { checkAddress } from './web-address.ts'

export interface LookupAnswer {
  address: string
  family: number
}

/** Returns all addresses of a name. Rejects if there are none. */
export type Lookup = (hostname: string) => Promise<readonly LookupAnswer[]>

/** A lookup that fails if the policy objects to any of the answers, so that no connection is made. */
export function checkedLookup(url: URL, policy: AddressPolicy, lookup: Lookup = lookupAll): LookupFunction {
  return (hostname, { all }, callback) => {
    lookup(hostname)
      .then(answers => {
        for (const { address } of answers) checkAddress(url, address, policy)
        const [one] = answers
        if (one === undefined) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
        if (all) callback(null, [...answers])
        else callback(null, one.address, one.family)
      })
      .catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0))
  }
}

async function lookupAll(hostname: string): Promise<readonly LookupAnswer[]> {
  return systemLookup(hostname, { all: true })
}
