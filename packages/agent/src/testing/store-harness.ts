import type { Store } from '../store/store.ts'
import type { KillPoint } from './kill-point.ts'

/** `test(name, body)` of Vitest, Jest, Mocha, `node:test` or Bun; `skip` is used where there is one. */
export interface StoreTestFunction {
  (name: string, body: () => Promise<void>): unknown
  skip?: (name: string, body: () => Promise<void>) => unknown
}

/** How the suite gets at one implementation. */
export interface StoreHarness {
  /** Begins the name of each test. */
  name: string
  /** How tests are declared. */
  test: StoreTestFunction
  /** Makes a place of its own with these documents, by path. */
  create(documents: Readonly<Record<string, string>>): Promise<StorePlace>
  /** What cannot happen to this implementation, so that places need not do it, each with the reason. */
  skip?: Partial<Record<StoreAccident, string>>
}

/**
 * `tear`: a line is half written. `openAsStranger`: somebody without the key writes to the place. `fallSilent`: a holder is
 * on another machine, and stops renewing. `openFull`: the disk is full.
 */
export type StoreAccident = 'tear' | 'openAsStranger' | 'fallSilent' | 'openFull'

/** A place where a store keeps everything: a folder, a database. */
export interface StorePlace {
  /** A store on it, as a new process opens it. With `kill` that process dies. */
  open(kill?: KillPoint): Store
  /** Makes whoever holds a document look dead, without telling it. */
  expire(path: string): Promise<void>
  /** Cuts the last line of a log in the middle, as a crash does. */
  tear?(path: string, run: string): Promise<void>
  /** The same for the last record of a sidecar. */
  tearSidecar?(path: string): Promise<void>
  /**
   * Makes whoever holds a document look like a process on another machine that renews nothing more, without telling it. The
   * stores of this place need not wait for a real time: give them a clock that runs ahead.
   */
  fallSilent?(path: string): Promise<void>
  /** A store whose disk has room for so many more bytes; `free` makes room. */
  openFull?(room: number): { store: Store; free(): void }
  /** A store on the same place of somebody who can write there and does not have the key. */
  openAsStranger?(): Store
  /** Called when nobody needs it any more, at times twice. */
  remove(): Promise<void>
}
