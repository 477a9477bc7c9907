import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import {
  type Conversation,
  checkEffects,
  describeRuns,
  openStore,
  Person,
  type Remains,
  readRemains,
} from './conversation.ts'
import { documentText, readEffects } from './scenario.ts'
import { buildServer, ServerLives } from './server-process.ts'

/**
 * `KILLS=1000` kills more servers; the first cases are the same. Without it there are as many as a busy machine bears in
 * some seconds. `FROM=N` begins with another case, `CASE=N` plays one.
 */
const kills = Number(process.env.KILLS ?? 12)
const budgetMs = process.env.KILLS === undefined ? 10_000 : Number.POSITIVE_INFINITY
const from = Number(process.env.FROM ?? 0)
const only = process.env.CASE === undefined ? undefined : Number(process.env.CASE)
/** No server is silent for so long, on the busiest machine: it is stuck. */
const silentMs = 110_000
/** So many operations on the disk a server makes in a whole case, about. */
const operations = 260

const conversations: readonly Conversation[] = [
  { name: 'a', asks: true, more: ['One more.'] },
  { name: 'b', asks: false, more: ['Two more.', 'Three more.', 'Four more.'] },
]

let program: string

beforeAll(async () => {
  program = buildServer()
})

const policies = ['ask', 'all', 'rules'] as const

test.each(policies)(
  'with the policy %s a server that is killed in a model call, in a tool that only reads and in one that changes something is followed by one that continues',
  async policy => {
    const plan = ['part 6', 'tool look', 'tool change', 'part 5']
    expect(await play(0, plan, policy)).toBeGreaterThanOrEqual(plan.length - (policy === 'all' ? 1 : 0))
  },
)

test('servers that are killed at any moment lose nothing that was accepted, say nothing twice and do nothing twice', async () => {
  let died = 0
  if (only !== undefined) died = await playCase(only)
  const begun = performance.now()
  for (let number = from; only === undefined && died < kills && performance.now() - begun < budgetMs; number++) {
    died += await playCase(number)
    if (process.env.KILLS !== undefined && number % 20 === 0) process.stderr.write(`${died} servers killed\n`)
  }
  expect(died).toBeGreaterThan(0)
})

/** Kills at random places; gives how many servers died. */
function playCase(number: number): Promise<number> {
  const random = randomFrom(number)
  const plan: string[] = []
  do {
    const place = random() < 0.5 ? 'operation' : 'half'
    plan.push(`${place} ${1 + Math.floor(random() * operations * (plan.length === 0 ? 1 : 0.5))}`)
  } while (random() < 0.6)
  return play(number, plan, policies[number % policies.length]!)
}

async function play(number: number, plan: readonly string[], policy: string): Promise<number> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-server-crash-')))
  const docs = join(folder, 'docs')
  await mkdir(docs)
  for (const { name, asks } of conversations) {
    const text = asks ? documentText(name) : '<user>\nHello.\n</user>\n'
    await writeFile(join(docs, `${name}.chatmd`), text)
  }
  const lives = new ServerLives(program, folder, plan, policy)
  const store = openStore(docs)
  const people = new Map(
    conversations.map(one => [one.name, new Person(lives, one, randomFrom(number * 31 + one.name.length))]),
  )
  const deaths: Remains[] = []
  lives.onDeath = async () => {
    deaths.push(await readRemains(folder, store, people))
  }
  try {
    const talks = Array.from(people.values(), person => person.talk(store))
    await whileWriting(folder, Promise.all(talks), () => describeRuns(store, people))
    const asking = new Map(
      conversations.flatMap(({ name, asks }) => (asks ? [[name, people.get(name)!.yes] as const] : [])),
    )
    checkEffects(readEffects(folder), deaths, asking, policy)
    expect(lives.problems).toEqual([])
    await lives.close()
    await rm(folder, { recursive: true, force: true })
    return lives.deaths
  } catch (error) {
    await lives.close()
    throw new Error(`Case ${number} (${policy}) in ${folder}, deaths at ${plan.join(' and ')}: ${error}`, {
      cause: error,
    })
  }
}

/** Fails once nothing was written for long, and says how far everything is: a busy machine is slow, but writes. */
async function whileWriting<Value>(
  folder: string,
  work: Promise<Value>,
  describe: () => Promise<string>,
): Promise<Value> {
  let timer: ReturnType<typeof setInterval> | undefined
  let size = 0
  let since = performance.now()
  const stuck = new Promise<never>((_, reject) => {
    const look = async (): Promise<void> => {
      const now = await sizeOf(folder)
      if (now !== size) since = performance.now()
      else if (performance.now() - since > silentMs) {
        throw new Error(`Nothing was written for ${silentMs / 1000} s.\n${await describe()}`)
      }
      size = now
    }
    timer = setInterval(() => void look().catch(reject), 1000)
  })
  try {
    return await Promise.race([work, stuck])
  } finally {
    clearInterval(timer)
  }
}

/** How long all files are; a file or a folder that goes meanwhile counts nothing. */
async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const sizes = names.map(name =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Numbers from 0 to 1 that only the seed decides. */
function randomFrom(seed: number): () => number {
  let state = (seed + 1) * 7919
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}
