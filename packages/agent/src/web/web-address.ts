import { SourceError } from '../files/source-error.ts'
import { quoted } from '../words/quoted.ts'
import type { AddressPolicy } from './address-policy.ts'

/** Names that lead to this machine or its network wherever they are resolved. */
const LOCAL_NAME = /^(?:.*\.)?(?:localhost|local|internal|home\.arpa|lan|intranet|corp)$|^[^.]+$/

/** Parses a web address, relative to the page that contains it. Rejects anything but plain http(s). */
export function parseWebAddress(src: string, base?: string): URL {
  if (!URL.canParse(src, base)) {
    const message = `${quoted(src)} is not an address.`
    const cure = 'Write a full address (https://…), or add the flag `local` to read a file.'
    throw new SourceError('CHATMD_BAD_ADDRESS', message, cure)
  }
  const url = new URL(src, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const message = `${quoted(src)} is not a web address: only http and https work, not ${quoted(url.protocol)}.`
    const cure = 'Use an http or https address, or a path with the flag `local` to read a file.'
    throw new SourceError('CHATMD_BAD_ADDRESS', message, cure)
  }
  if (url.username !== '' || url.password !== '') {
    url.username = ''
    url.password = ''
    const message = `The address ${quoted(url.href)} contains a user name or a password, which Argot never sends.`
    throw new SourceError('CHATMD_BAD_ADDRESS', message, 'Remove it from the address. Insert protected pages as files.')
  }
  url.hash = ''
  return url
}

/** The IP address in a URL; undefined if the URL has a host name. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return host.includes(':') || /^\d+(?:\.\d+){3}$/.test(host) ? host : undefined
}

/** Throws if the policy objects to an address. `address` is what the host name resolved to. */
export function checkAddress(url: URL, address: string, policy: AddressPolicy): void {
  const objection = policy.objection(address)
  if (objection === undefined) return
  throw privateAddress(`${quoted(url.href)} leads to ${address}, ${objection}.`)
}

/** Throws if a URL is visibly private without a lookup: literal addresses, and local names. */
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
