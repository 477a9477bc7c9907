import { isIPv4, isIPv6 } from 'node:net'
import { ArgotError } from '@argot/core'

/** An address (4 or 16 bytes) and the length of its prefix in bits. */
interface AddressRange {
  bytes: readonly number[]
  bits: number
}

/** IPv4 addresses that are not public: IANA's special-purpose registry and the metadata services of clouds. */
const SPECIAL_IPV4 = [
  ['0.0.0.0/8', 'an address of this machine'],
  ['10.0.0.0/8', 'a private address'],
  ['100.64.0.0/10', "a provider's shared address (CGNAT)"],
  ['127.0.0.0/8', 'a loopback address'],
  ['168.63.129.16/32', 'a cloud metadata address'],
  ['169.254.169.254/32', 'a cloud metadata address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private address'],
  ['192.0.0.0/24', 'a reserved address'],
  ['192.0.2.0/24', 'an address for documentation'],
  ['192.88.99.0/24', 'a reserved address'],
  ['192.168.0.0/16', 'a private address'],
  ['198.18.0.0/15', 'an address for benchmarks'],
  ['198.51.100.0/24', 'an address for documentation'],
  ['203.0.113.0/24', 'an address for documentation'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', 'a reserved address'],
] as const

/** IPv6 addresses that are not public. Nothing outside 2000::/3 is public either. */
const SPECIAL_IPV6 = [
  ['::/128', 'an address of this machine'],
  ['::1/128', 'a loopback address'],
  ['::/96', 'an IPv4-compatible address'],
  ['64:ff9b:1::/48', 'a private address'],
  ['fc00::/7', 'a private (unique-local) address'],
  ['fe80::/10', 'a link-local address'],
  ['fec0::/10', 'a private (site-local) address'],
  ['ff00::/8', 'a multicast address'],
  ['2001::/23', 'a reserved address'],
  ['2001:db8::/32', 'an address for documentation'],
  ['2002::/16', 'a 6to4 address'],
  ['3fff::/20', 'an address for documentation'],
] as const

/** IPv4 addresses written as IPv6: mapped, and for NAT64. */
const IPV4_IN_IPV6 = ['::ffff:0:0/96', '64:ff9b::/96']

interface KnownRanges {
  special: Readonly<Record<4 | 16, readonly (AddressRange & { kind: string })[]>>
  publicIPv6: AddressRange
  ipv4InIPv6: readonly AddressRange[]
}

let cachedRanges: KnownRanges | undefined

/** Parsed when the first address is checked: most runs check none. */
function knownRanges(): KnownRanges {
  const parseRanges = (list: readonly (readonly [range: string, kind: string])[]) =>
    list.map(([range, kind]) => ({ ...parseRange(range), kind }))
  cachedRanges ??= {
    special: { 4: parseRanges(SPECIAL_IPV4), 16: parseRanges(SPECIAL_IPV6) },
    publicIPv6: parseRange('2000::/3'),
    ipv4InIPv6: IPV4_IN_IPV6.map(parseRange),
  }
  return cachedRanges
}

/** The non-public addresses that may be connected to: all, none, or those in the given ranges. */
export class AddressPolicy {
  readonly #all: boolean
  readonly #allowed: readonly AddressRange[]

  constructor(allowed: boolean | readonly string[]) {
    this.#all = allowed === true
    this.#allowed = typeof allowed === 'boolean' ? [] : allowed.map(parseRange)
  }

  get allowsAll(): boolean {
    return this.#all
  }

  /** Why an address may not be connected to (`a loopback address`); undefined if it may be. */
  objection(address: string): string | undefined {
    if (this.#all) return undefined
    const bytes = parseAddress(address)
    if (bytes === undefined) return 'not an address'
    const plain = unwrapIPv4(bytes)
    if (this.#allowed.some(range => contains(range, plain))) return undefined
    return findSpecialKind(plain)
  }
}

/** The kind of a special address; undefined for a public one. */
function findSpecialKind(bytes: readonly number[]): string | undefined {
  const { special, publicIPv6 } = knownRanges()
  const isIn = (range: AddressRange): boolean => contains(range, bytes)
  if (bytes.length === 4) return special[4].find(isIn)?.kind
  return special[16].find(isIn)?.kind ?? (isIn(publicIPv6) ? undefined : 'not a public address')
}

/** The IPv4 address inside a mapped or NAT64 one; otherwise the address itself. */
function unwrapIPv4(bytes: readonly number[]): readonly number[] {
  return knownRanges().ipv4InIPv6.some(range => contains(range, bytes)) ? bytes.slice(12) : bytes
}

function contains({ bytes, bits }: AddressRange, address: readonly number[]): boolean {
  if (address.length !== bytes.length) return false
  for (let index = 0, left = bits; left > 0; index++, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff
    if (((address[index]! ^ bytes[index]!) & mask) !== 0) return false
  }
  return true
}

/** Parses `10.0.0.0/8` or a single address. Throws for anything else: ranges are written by programmers. */
function parseRange(text: string): AddressRange {
  const [address = '', length] = text.split('/')
  const bytes = parseAddress(address)
  const bits = length === undefined ? (bytes?.length ?? 0) * 8 : Number(length)
  if (bytes === undefined || !Number.isInteger(bits) || bits < 0 || bits > bytes.length * 8) {
    const message = `\`${text}\` is neither an IP address nor a range like 10.0.0.0/8.`
    throw new ArgotError('CHATMD_BAD_ADDRESS', message)
  }
  return { bytes, bits }
}

function parseAddress(text: string): number[] | undefined {
  const address = text.replace(/%.*$/s, '')
  if (isIPv4(address)) return address.split('.').map(Number)
  if (!isIPv6(address)) return undefined
  const [head = [], tail] = address.split('::').map(part => parseGroups(part))
  if (tail === undefined) return head
  return [...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail]
}

function parseGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap(group => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}
