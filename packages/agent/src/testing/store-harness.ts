import type { Store } from '../store/store.ts'
import type { KillPoint } from './kill-point.ts'

/** `test(name, body)` of Vitest, Jest, Mocha, `node:test` or Bun. `skip` is used if it exists. */
export interface StoreTestFunction {
  (name: string, body: () => Promise<void>): unknown
  skip?: (name: string, body: () => Promise<void>) => unknown
}

export interface StoreHarness {
  /** The prefix of each test's name. */
  name: string
  test: StoreTestFunction
  /** Makes a new, separate place with these documents, by path. */
  create(documents: Readonly<Record<string, string>>): Promise<StorePlace>
  /** Accidents that can't happen to this implementation, each with the reason. Places don't need to simulate them. */
  skip?: Partial<Record<StoreAccident, string>>
}

/**
 * `tear`: a line is half written. `openAsStranger`: someone without the key writes to the place. `fallSilent`: a holder
 * is on another machine and stops renewing. `openFull`: the disk is full.
 */
export type StoreAccident = 'tear' | 'openAsStranger' | 'fallSilent' | 'openFull'

/** Where a store keeps everything: a folder or a database, for example. */
export interface StorePlace {
  /** Opens a store on this place as a new process would. With `kill`, that process dies. */
  open(kill?: KillPoint): Store
  /** Makes the holder of a document look dead, without notifying it. */
  expire(path: string): Promise<void>
  /** Cuts the last line of a log in the middle, as a crash does. */
  tear?(path: string, run: string): Promise<void>
  /** Like `tear`, for the last record of a sidecar. */
  tearSidecar?(path: string): Promise<void>
  /**
   * Makes the holder of a document look like a process on another machine that no longer renews, without notifying it.
   * The place's stores don't need to wait in real time: give them a clock that runs ahead.
   */
  fallSilent?(path: string): Promise<void>
  /** A store whose disk has room for `room` more bytes; `free` makes room. */
  openFull?(room: number): { store: Store; free(): void }
  /** A store on the same place, opened by someone who can write there but doesn't have the key. */
  openAsStranger?(): Store
  /** Called when the place is no longer needed, sometimes twice. */
  remove(): Promise<void>
}
