import { cleanDocument } from '@argot/agent/internal'
import { countOperations } from './operations.ts'

/** Cleans the document `FILE`, and dies before the operation on the disk that `DIE` names, or in the middle of it. */
const { FILE = '', DIE = '' } = process.env
const [place, which] = DIE.split(' ')

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

countOperations({
  tick: false,
  before: number => {
    if (place === 'operation' && number === Number(which)) die()
  },
  half: number => place === 'half' && number === Number(which),
  die,
})

await cleanDocument(FILE, text => text)
