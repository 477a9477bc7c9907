import { execFileSync } from 'node:child_process'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** After so many minutes of silence a file of tests is named, and after twice as many the whole run ends. */
const minutes = Number(process.env.STALL_MINUTES ?? 6)

interface Running {
  test: string
  since: number
  isTold: boolean
}

/**
 * Ends a run that stands still, and says where. A time limit of Vitest does not hold a test that blocks its thread, a worker
 * that died without a word, or a browser that does not answer; a machine that runs the tests would wait for ever.
 */
export default class StallReporter implements Reporter {
  readonly #running = new Map<string, Running>()
  /** Results of a file may be told after its end. */
  readonly #ended = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  onTestRunStart(): void {
    this.#ended.clear()
    this.#timer ??= setInterval(() => this.#look(), (minutes * 60_000) / 12)
    this.#timer.unref()
  }

  onTestModuleQueued(module: TestModule): void {
    this.#heard(module, 'being loaded')
  }

  onTestCaseReady(test: TestCase): void {
    this.#heard(test.module, test.fullName)
  }

  onTestCaseResult(test: TestCase): void {
    this.#heard(test.module, `after "${test.fullName}"`)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended.add(module.relativeModuleId)
    this.#running.delete(module.relativeModuleId)
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #heard(module: TestModule, test: string): void {
    if (this.#ended.has(module.relativeModuleId)) return
    this.#running.set(module.relativeModuleId, { test, since: Date.now(), isTold: false })
  }

  #look(): void {
    for (const [file, running] of this.#running) {
      const silent = (Date.now() - running.since) / 60_000
      if (silent < minutes || (running.isTold && silent < 2 * minutes)) continue
      process.stderr.write(
        `\n${file} has been silent for ${silent.toFixed(0)} minutes: ${running.test}\n${processes()}`,
      )
      running.isTold = true
      if (silent < 2 * minutes) continue
      process.stderr.write('The tests stand still; they end here.\n')
      process.exit(1)
    }
  }
}

/** What runs on this machine, as a tree. */
function processes(): string {
  try {
    return execFileSync('ps', ['-eo', 'pid,ppid,etimes,stat,args', '--forest'], { encoding: 'utf8', timeout: 10_000 })
  } catch {
    return 'What runs besides cannot be shown here.\n'
  }
}
