import type { Lease, Leases } from '../store/store.ts'
import { check, checkRefused, checkSame, inTime } from './check.ts'
import { documentPath, documentText, type StoreLaw } from './store-law.ts'

const path = documentPath

export const leaseLaws: readonly StoreLaw[] = [
  {
    name: 'one process at a time holds a document, and the store reports the holder',
    async check(place) {
      const { leases } = place.open()
      checkSame(await leases.holder(path), undefined, 'The holder of a free document')
      const lease = await leases.take(path)
      checkSame(lease.path, path, "The lease's path")
      check(await lease.renew(), 'Renewing a held lease should succeed.')
      check(!lease.lost.aborted, 'A held lease should not be lost.')
      await checkRefused(() => place.open().leases.take(path), 'RUN_LOCKED', 'Taking it from another process')
      await checkRefused(() => leases.take(path), 'RUN_LOCKED', 'Taking it twice')
      check(typeof (await place.open().leases.holder(path)) === 'string', 'Every process should see the holder.')
      await lease.release()
      checkSame(await leases.holder(path), undefined, 'The holder after the release')
      await (await place.open().leases.take(path)).release()
    },
  },
  {
    name: 'two documents can be held at the same time',
    async check(_, create) {
      const place = await create({ [path]: documentText, 'other.chatmd': documentText })
      const { leases } = place.open()
      const both = [await leases.take(path), await leases.take('other.chatmd')]
      for (const lease of both) check(await lease.renew(), `${lease.path} is held.`)
      for (const lease of both) await lease.release()
    },
  },
  {
    name: 'waiting processes get the document when it is free, one at a time',
    async check(place) {
      const first = await place.open().leases.take(path)
      let holders = 0
      const hold = async (leases: Leases): Promise<number> => {
        const lease = await leases.take(path, { wait: true })
        check(++holders === 1, 'No other process should hold it.')
        await Promise.resolve()
        holders--
        await lease.release()
        return lease.epoch
      }
      const waiting = Promise.all([hold(place.open().leases), hold(place.open().leases), hold(place.open().leases)])
      await first.release()
      const epochs = await inTime(waiting, 'The document')
      checkSame(new Set([first.epoch, ...epochs]).size, 4, 'The number of epochs')
      check(
        epochs.every(epoch => epoch > first.epoch),
        'Later holders should have higher epochs.',
      )
    },
  },
  {
    name: 'a waiting process can stop waiting',
    async check(place) {
      const first = await place.open().leases.take(path)
      const stop = new AbortController()
      const waiting = place.open().leases.take(path, { wait: true, signal: stop.signal })
      stop.abort(new Error('enough'))
      const failure = await inTime(
        waiting.then(
          () => undefined,
          (error: unknown) => error,
        ),
        'The end of the wait',
      )
      check(failure instanceof Error, 'The waiting fails.')
      await first.release()
      await (await place.open().leases.take(path)).release()
    },
  },
  {
    name: "if a document's holder dies, exactly one process takes it over with a higher epoch, and the old lease is lost",
    async check(place) {
      const old = await place.open().leases.take(path)
      await place.expire(path)
      const results = await Promise.allSettled(Array.from({ length: 4 }, () => place.open().leases.take(path)))
      const winners = results.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
      checkSame(winners.length, 1, 'The number of processes that took it over')
      const winner: Lease = winners[0]!
      check(winner.epoch > old.epoch, 'The new epoch should be higher.')
      check(!(await old.renew()), 'Renewing the old lease should fail.')
      check(old.lost.aborted, 'The old lease should report its loss.')
      await old.release()
      check(await winner.renew(), 'Releasing the old lease should not end the new one.')
      check(!winner.lost.aborted, 'The new lease should not be lost.')
      await checkRefused(() => place.open().leases.take(path), 'RUN_LOCKED', 'Taking it from the new holder')
      await winner.release()
    },
  },
  {
    name: 'a replaced holder learns of it, even if it never asks or writes',
    async check(place) {
      const old = await place.open().leases.take(path)
      await place.expire(path)
      const winner = await place.open().leases.take(path)
      if (!old.lost.aborted) {
        const lost = new Promise<void>(resolve => old.lost.addEventListener('abort', () => resolve(), { once: true }))
        await inTime(lost, 'The loss of the lease')
      }
      check(!winner.lost.aborted, 'The new lease should not be lost.')
      await winner.release()
    },
  },
  {
    name: 'waiting has a time limit, after which it fails because the document is locked',
    async check(place) {
      const first = await place.open().leases.take(path)
      const waiting = place.open().leases.take(path, { wait: true, waitMs: 20 })
      await checkRefused(() => inTime(waiting, 'The end of the wait'), 'RUN_LOCKED', 'Waiting for too long')
      await first.release()
    },
  },
  {
    name: 'exactly one process replaces a silent holder on another machine, with a higher epoch',
    needs: 'fallSilent',
    async check(place) {
      const old = await place.open().leases.take(path)
      await place.fallSilent!(path)
      const lease = await inTime(
        Promise.allSettled(Array.from({ length: 3 }, () => place.open().leases.take(path))),
        'The document',
      )
      const winners = lease.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
      checkSame(winners.length, 1, 'The number of processes that took it over')
      check(winners[0]!.epoch > old.epoch, 'The new epoch should be higher.')
      check(!(await old.renew()), 'Renewing the old lease should fail.')
      await winners[0]!.release()
    },
  },
  {
    name: 'a person can replace a holder on another machine immediately, but not a holder that is certainly running',
    needs: 'fallSilent',
    async check(place) {
      const old = await place.open().leases.take(path)
      const take = () => place.open().leases.take(path, { takeOver: true })
      await checkRefused(take, 'RUN_LOCKED', 'Taking it from a running process')
      await place.fallSilent!(path)
      const lease = await take()
      check(lease.epoch > old.epoch, 'The new epoch should be higher.')
      check(!(await old.renew()), 'Renewing the old lease should fail.')
      await lease.release()
    },
  },
]
