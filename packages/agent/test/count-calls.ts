import { Session } from 'node:inspector/promises'

/**
 * How often functions of the sources were called while `work` ran, by name (`file.ts name`), as V8 counts them: classes by
 * their constructors, and async functions whenever they continue.
 */
export async function countCalls(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const counts = new Map<string, number>()
    for (const { url, functions } of result) {
      const file = /packages\/\w+\/src\/.*\/([\w-]+\.ts)/.exec(url)?.[1]
      if (file === undefined) continue
      for (const { functionName, ranges } of functions) {
        const name = `${file} ${functionName}`
        counts.set(name, (counts.get(name) ?? 0) + (ranges[0]?.count ?? 0))
      }
    }
    return counts
  } finally {
    await session.post('Profiler.stopPreciseCoverage')
    session.disconnect()
  }
}
