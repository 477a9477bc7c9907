/** The process is gone. */
class KilledError extends Error {}

/**
 * Where a process dies. A store under test does each of its primitive operations (one write, one command) through `run`;
 * from the place on that the suite has chosen all of them fail, and nothing is changed any more.
 */
export class KillPoint {
  readonly #operation: number
  readonly #when: 'before' | 'after'
  #count = 0
  #isDead = false

  /** `operation` counts from 0. */
  constructor(operation: number, when: 'before' | 'after') {
    this.#operation = operation
    this.#when = when
  }

  /** The place was reached. */
  get isDead(): boolean {
    return this.#isDead
  }

  /** Does one operation, unless the process is dead or dies now. One that gives a promise is waited for. */
  run<T>(operation: () => T): T {
    if (this.#isDead) throw new KilledError('The process is gone.')
    if (this.#count++ !== this.#operation) return operation()
    this.#isDead = true
    const killed = new KilledError(`The process died ${this.#when} operation ${this.#operation}.`)
    if (this.#when === 'before') throw killed
    const result = operation()
    if (result instanceof Promise) return result.then(() => Promise.reject(killed)) as T
    throw killed
  }
}
