import { setTimeout as sleep } from 'node:timers/promises'
import { runDocument } from '@argot/agent'
import { countOperations } from './operations.ts'
import { documentName, type ScenarioName, scenarioOptions } from './scenario.ts'

/*
 * A run in a process of its own, which dies where `DIE` says: `model N` before the model says anything in its N-th step,
 * `finish N` before it finishes that step, `tool ID` in a tool, `asked` when a person is asked, `operation N` before the N-th operation on the disk and `half N` in
 * the middle of it. With `TICK` every operation on the disk is a byte on the standard output; with `ASK` a person is
 * there and says yes, where it is `edit` with another input.
 */
const { FOLDER = '', SCENARIO = 'long', DIE = '', TICK, PACE, INPUT, ASK } = process.env
const [place, which] = DIE.split(' ')

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

countOperations({
  tick: TICK !== undefined,
  before: number => {
    if (place === 'operation' && number === Number(which)) die()
  },
  half: number => place === 'half' && number === Number(which),
  die,
})

const run = runDocument(documentName, {
  ...scenarioOptions(FOLDER, SCENARIO as ScenarioName, {
    ...(PACE === undefined ? {} : { pace: Number(PACE) }),
    model: step => {
      if (place === 'model' && step === Number(which)) die()
    },
    ...(place !== 'finish'
      ? {}
      : {
          finish: step => {
            if (step === Number(which)) die()
          },
        }),
    tool: given => {
      if (place === 'tool' && given === which) die()
    },
  }),
  ...(INPUT === undefined ? {} : { input: INPUT }),
  ...(ASK === undefined
    ? {}
    : {
        approve: 'ask',
        ask: async () => {
          if (place === 'asked') die()
          if (ASK !== 'edit') return { approved: true }
          // Meanwhile the other calls are answered, and the question is in the document.
          await sleep(20)
          return { approved: true, input: { a: 'edited' } }
        },
      }),
})
const result = await run.result
process.exitCode = result.status === 'done' ? 0 : 1
if (result.status === 'failed') process.stderr.write(`${result.code}: ${result.error}\n`)
