/** What both servers are given: so many runs, each a chunk every so many milliseconds. */
export interface Load {
  runs: number
  readers: number
  /** Chunks of each run. */
  chunks: number
  everyMs: number
}

/** The load of the specification for some seconds; smaller where the variables say so. */
export function readLoad(env: NodeJS.ProcessEnv = process.env): Load {
  const seconds = Number(env.SECONDS ?? 5)
  return {
    runs: Number(env.RUNS ?? 100),
    readers: Number(env.READERS ?? 1000),
    chunks: Math.ceil(seconds * 50),
    everyMs: 20,
  }
}

/** The text of a chunk: when it was said, so that whoever reads it knows how long it took. */
export function stamp(): string {
  return `${Date.now()} `
}

/** Says a chunk every so many milliseconds, on time also where one of them was late. */
export async function* paced({ chunks, everyMs }: Load): AsyncGenerator<string> {
  const begun = performance.now()
  for (let index = 0; index < chunks; index++) {
    const wait = begun + index * everyMs - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    yield stamp()
  }
}
