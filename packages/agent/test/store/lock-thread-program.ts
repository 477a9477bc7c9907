import { parentPort, workerData } from 'node:worker_threads'
import { tryLockFile } from '../../src/store/folder/lock-file.ts'

// A thread that takes a lock and never gives it back, as a worker does that only evaluates the modules of an app.
const lock = tryLockFile(workerData as string)
parentPort!.postMessage(typeof lock === 'string' ? lock : 'locked')
setInterval(() => {}, 1000)
