import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files of tests that take long, most of it waiting for processes or for Chromium. They begin first, so that none of them is
 * left to run alone at the end. A process is also cheaper to start while the one that starts it is still small.
 */
const slow: readonly RegExp[] = [
  /\/crash\/(?!one-answer)/,
  /safety\/(?:sandbox|commands|processes|real-programs|always)/,
  /tool\/(?:shell|source\/)/,
  /packages\/cli\/test\/(?:documents|run|serve|parse|escapes|ask-user)/,
  /test\/planted-/,
  /server\/test\/(?:clients\/browser|network\/)/,
  /gallery\.browser|agent\/.*\.browser/,
  /(?:several|attachments|time-machine)\.page/,
]

export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification): boolean => {
      const path = `/${relative(this.ctx.config.root, moduleId)}`
      return slow.some(pattern => pattern.test(path))
    }
    return [...sorted.filter(isSlow), ...sorted.filter(file => !isSlow(file))]
  }
}
