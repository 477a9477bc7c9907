import { SourceError } from '../files/source-error.ts'
import { quoted } from '../words/quoted.ts'
import type { AddressPolicy } from './address.ts'

/** Names that lead to this machine or its network wherever they are looked up. */
const LOCAL_NAME = /^(?:.*\.)?(?:localhost|local|internal|home\.arpa|lan|intranet|corp)$|^[^.]+$/

/** An address of the web, completed against the page that names it. Refuses anything that is not plain http(s). */
export function parseWebAddress(src: string, base?: string): URL {
  if (!URL.canParse(src, base)) {
    const message = `${quoted(src)} is not an address.`
    const cure = 'Write a full address (https://…), or add the flag `local` to read a file.'
    throw new SourceError('CHATMD_BAD_ADDRESS', message, cure)
  }
  const url = new URL(src, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const message = `${quoted(src)} is not an address of the web: only http and https are read, not ${quoted(url.protocol)}.`
    const cure = 'Use an http or https address, or a path with the flag `local` to read a file.'
    throw new SourceError('CHATMD_BAD_ADDRESS', message, cure)
  }
  if (url.username !== '' || url.password !== '') {
    url.username = ''
    url.password = ''
    const message = `The address of ${quoted(url.href)} contains a user name or a password, which is never sent.`
    throw new SourceError('CHATMD_BAD_ADDRESS', message, 'Remove it from the address; insert protected pages as files.')
  }
  url.hash = ''
  return url
}

/** The IP address that is written in an address of the web, undefined if it has a name. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return host.includes(':') || /^\d+(?:\.\d+){3}$/.test(host) ? host : undefined
}

/** Refuses to connect to an address that the policy objects to. `address` is what the name of the host led to. */
export function checkAddress(url: URL, address: string, policy: AddressPolicy): void {
  const objection = policy.objection(address)
  if (objection === undefined) return
  throw privateAddress(`${quoted(url.href)} leads to ${address}, ${objection}.`)
}

/** Refuses what can be seen to be private without a lookup: addresses that are written out, and local names. */
export function checkHost(url: URL, policy: AddressPolicy): void {
  const address = literalAddress(url)
  if (address !== undefined) {
    checkAddress(url, address, policy)
    return
  }
  const name = url.hostname.replace(/\.$/, '')
  if (policy.allowsAll || !LOCAL_NAME.test(name)) return
  throw privateAddress(`${quoted(url.href)} leads to ${quoted(name)}, a name in the local network.`)
}

function privateAddress(message: string): SourceError {
  const cure = 'Use a public address, or allow private ones with --allow-private.'
  return new SourceError('CHATMD_PRIVATE_ADDRESS', message, cure)
}
