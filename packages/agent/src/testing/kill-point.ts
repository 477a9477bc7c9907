class KilledError extends Error {}

/**
 * Where a process dies. A store under test performs each primitive operation (one write, one command) through `run`.
 * From the chosen operation on, all of them fail and nothing changes any more.
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

  get isDead(): boolean {
    return this.#isDead
  }

  /**
   * Performs one operation, unless the process is dead or dies now. If the process dies after an operation that returns
   * a promise, the returned promise rejects once the operation is done.
   */
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
