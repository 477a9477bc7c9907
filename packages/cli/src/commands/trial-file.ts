import {
  REPORT_FORMAT,
  readReport,
  saveReport,
  type Task,
  type TrialCase,
  type TrialReport,
} from '@argot/agent/internal'
import { ArgotError } from '@argot/core'
import { defined } from '@argot/core/stream/internal'
import { trialPage } from '../view/trial/trial-page.ts'
import { reportJson } from '../view/trial/trial-tables.ts'

/** A killed trial loses at most this much time. */
const SAVE_MS = 5000

type TrialSetup = Pick<TrialReport, 'model' | 'limits'> & { temperature?: number | undefined }

export class TrialFile {
  readonly #path: string | undefined
  readonly #head: Omit<TrialReport, 'cases' | 'skipped'>
  readonly #cases: TrialCase[]
  readonly #skipped: TrialReport['skipped'][number][] = []
  readonly earlierCases: readonly TrialCase[]
  #savedAt: number = performance.now()
  /** Writes run one after another. The first failure is kept. */
  #saving: Promise<void> = Promise.resolve()

  private constructor(
    path: string | undefined,
    head: Omit<TrialReport, 'cases' | 'skipped'>,
    earlierCases: readonly TrialCase[],
  ) {
    this.#path = path
    this.#head = head
    this.earlierCases = earlierCases
    this.#cases = [...earlierCases]
  }

  /**
   * Resumes the results in the file that belong to these tasks. Throws if they are from another model or other limits,
   * or if the file can't be written.
   */
  static async open(path: string | undefined, setup: TrialSetup, tasks: readonly Task[]): Promise<TrialFile> {
    const { model, limits, temperature } = setup
    const earlier = path === undefined ? undefined : await readEarlier(path)
    if (earlier !== undefined) refuseOther(path!, earlier, setup)
    const names = new Set(tasks.map(({ name }) => name))
    const ownTasks = tasks.map(({ name, category, digest }) => ({ name, category, digest }))
    const others = earlier?.tasks.filter(({ name }) => !names.has(name)) ?? []
    const digests = new Map(earlier?.tasks.map(({ name, digest }) => [name, digest]))
    const changedTasks = new Set(
      tasks.filter(({ name, digest }) => digests.get(name) !== digest).map(({ name }) => name),
    )
    const finishedCases =
      earlier?.cases.filter(({ task, error }) => error === undefined && !changedTasks.has(task)) ?? []
    const head = {
      format: REPORT_FORMAT,
      model,
      startedAt: earlier?.startedAt ?? new Date().toISOString(),
      limits,
      ...defined({ temperature }),
      tasks: [...ownTasks, ...others],
    } as const
    const file = new TrialFile(path, head, finishedCases)
    await file.#save()
    return file
  }

  static async writePage(path: string, report: TrialReport): Promise<void> {
    await saveReport(path, trialPage(report))
  }

  get report(): TrialReport {
    return { ...this.#head, cases: this.#cases, skipped: this.#skipped }
  }

  add(one: TrialCase): void {
    this.#cases.push(one)
    if (this.#path === undefined || performance.now() - this.#savedAt < SAVE_MS) return
    this.#savedAt = performance.now()
    // `finish` tries again, and throws if that fails, too.
    this.#saving = this.#saving.then(() => this.#save())
    this.#saving.catch(() => {})
  }

  skip(one: TrialReport['skipped'][number]): void {
    this.#skipped.push(one)
  }

  async finish(): Promise<void> {
    await this.#saving.catch(() => {})
    await this.#save()
  }

  async #save(): Promise<void> {
    if (this.#path !== undefined) await saveReport(this.#path, reportJson(this.report))
  }
}

async function readEarlier(path: string): Promise<TrialReport | undefined> {
  try {
    return await readReport(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function refuseOther(path: string, earlier: TrialReport, { model, limits, temperature }: TrialSetup): void {
  const refuse = (what: string): never => {
    throw new ArgotError(
      'TRIAL_BAD_REPORT',
      `${path} contains the results of a trial ${what}. Choose another file with --output.`,
    )
  }
  if (earlier.model !== model) refuse(`of ${earlier.model}, not of ${model}`)
  const { maxTokens, maxSeconds } = earlier.limits
  if (maxTokens !== limits.maxTokens || maxSeconds !== limits.maxSeconds)
    refuse(`with different limits (--max-tokens ${maxTokens} --max-time ${maxSeconds})`)
  if (earlier.temperature !== temperature) refuse(`with a different temperature (${earlier.temperature ?? 'none'})`)
}
