import { setOwn } from '../set-own.ts'

export type JsonContainer = unknown[] | Record<string, unknown>

/**
 * A list or object that is being read. Its value grows in place. The other fields can restore what it was with fewer
 * entries, and are dropped when the container ends. While a child is open, its parents do not change.
 */
export class OpenContainer {
  readonly value: JsonContainer
  readonly parent: OpenContainer | undefined
  readonly key: string
  readonly indexInParent: number
  /** Without a string that still grows. */
  count = 0
  /** The keys in text order, including repeated ones; undefined for a list. */
  readonly #keys: string[] | undefined
  /** The value of each key, once a key was repeated and the object alone isn't enough. */
  #values: unknown[] | undefined
  #showsGrowing = false

  constructor(isList: boolean, parent: OpenContainer | undefined, key: string) {
    this.value = isList ? [] : {}
    this.#keys = isList ? undefined : []
    this.parent = parent
    this.key = key
    this.indexInParent = parent === undefined ? 0 : parent.count
  }

  get isList(): boolean {
    return this.#keys === undefined
  }

  add(key: string, value: unknown): void {
    this.#set(key, value)
    this.#keys?.push(key)
    this.#values?.push(value)
    this.#showsGrowing = false
    this.count++
  }

  showGrowing(key: string, growing: string): void {
    this.#set(key, growing)
    this.#showsGrowing = true
  }

  /** The container when it had `count` entries. `last` is one more, if defined. */
  snapshotAt(count: number, key: string, last: unknown): JsonContainer {
    const { value } = this
    if (Array.isArray(value)) return listAt(value, count, last)
    const object = this.#isUnchangedSince(count, last) ? { ...value } : this.#firstEntries(count)
    if (last !== undefined) setOwn(object, key, last)
    return object
  }

  #set(key: string, value: unknown): void {
    const own = this.value
    if (Array.isArray(own)) own[this.count] = value
    else {
      // JSON has no undefined. A value inherited from the prototype does no harm here.
      if (own[key] !== undefined && !this.#showsGrowing) this.#values ??= this.#keys!.map(one => own[one])
      setOwn(own, key, value)
    }
  }

  #isUnchangedSince(count: number, last: unknown): boolean {
    if (this.#showsGrowing || this.#values !== undefined) return false
    return this.count === count || (this.count === count + 1 && typeof last === 'object')
  }

  #firstEntries(count: number): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    const all = this.value as Record<string, unknown>
    for (let index = 0; index < count; index++) {
      const key = this.#keys![index]!
      setOwn(object, key, this.#values === undefined ? all[key] : this.#values[index])
    }
    return object
  }
}

/** The first `count` items, plus one more if given, copied once: a push to a fresh copy would copy it again. */
function listAt(items: readonly unknown[], count: number, last: unknown): unknown[] {
  if (last === undefined) return items.slice(0, count)
  if (items.length === count) return items.concat([last])
  const list = items.slice(0, count + 1)
  list[count] = last
  return list
}
