import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { bundlePrograms } from '../../../../test/bundle-programs.ts'
import { tryLockFile } from '../../src/store/folder/lock-file.ts'

test.runIf(process.platform === 'linux')(
  'a lock of a thread that runs holds, and one of a thread that ended without giving it back is free',
  async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'argot-thread-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'server.lock')
    const [program] = bundlePrograms([fileURLToPath(new URL('lock-thread-program.ts', import.meta.url))])
    const worker = new Worker(program!, { workerData: path, execArgv: [] })
    onTestFinished(async () => void (await worker.terminate()))
    expect(await new Promise(resolve => worker.once('message', resolve))).toBe('locked')
    expect(tryLockFile(path)).toBeTypeOf('string')
    await worker.terminate()
    const lock = tryLockFile(path)
    expect(lock).not.toBeTypeOf('string')
    if (typeof lock !== 'string') lock.release()
  },
)
