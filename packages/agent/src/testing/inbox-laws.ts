import type { Post } from '../store/store.ts'
import { checkRefused, checkSame, inTime } from './check.ts'
import { beginRun, pushAll, recordRun } from './record-run.ts'
import { parkedRun, start } from './scripted-chunks.ts'
import { runId, type StoreLaw } from './store-law.ts'

const stop: Post = { id: 'p1', type: 'stop', reason: 'Genug — 🙂\n"' }
const answer: Post = {
  id: 'p2',
  type: 'answer',
  approvalId: 'q',
  answer: { approved: true, input: { a: [null, ','] } },
}
const output: Post = { id: 'p3', type: 'output', toolCallId: 'c', output: { m: 'x' } }

export const inboxLaws: readonly StoreLaw[] = [
  {
    name: 'posts to a run are kept, once per id, even if no process holds the run',
    async check(place) {
      await recordRun(place.open(), parkedRun)
      checkSame(await place.open().inbox.read(runId), [], 'The posts of a run without posts')
      const { inbox } = place.open()
      checkSame(await inbox.post(runId, stop), 'accepted', 'The first post')
      checkSame(await inbox.post(runId, answer), 'accepted', 'The second post')
      checkSame(await inbox.post(runId, stop), 'already', 'The first post again')
      const other: Post = { id: 'p1', type: 'message', message: 'x' }
      checkSame(await place.open().inbox.post(runId, other), 'already', 'Another post with the same id')
      checkSame(await place.open().inbox.read(runId), [stop, answer], 'The posts')
    },
  },
  {
    name: 'of several simultaneous posts with one id, exactly one is accepted and kept',
    async check(place) {
      await recordRun(place.open(), parkedRun)
      const stores = [place.open(), place.open(), place.open()]
      for (const id of ['a', 'b', 'c', 'd']) {
        const posts = stores.map((_, by): Post => ({ id, type: 'message', message: { by } }))
        const results = await Promise.all(stores.map(({ inbox }, index) => inbox.post(runId, posts[index]!)))
        checkSame([...results].sort(), ['accepted', 'already', 'already'], 'The results of the posts')
        const stored = (await place.open().inbox.read(runId)).filter(post => post.id === id)
        checkSame(stored, [posts[results.indexOf('accepted')]], 'The stored posts')
      }
    },
  },
  {
    name: 'posts accepted one after another are read in that order by every process',
    async check(place) {
      await recordRun(place.open(), parkedRun)
      const posts = ['d', 'b', 'c', 'a'].map((id): Post => ({ id, type: 'message', message: { id, text: `${id} 🙂` } }))
      for (const post of posts) await place.open().inbox.post(runId, post)
      checkSame(await place.open().inbox.read(runId), posts, 'The posts')
      const end = new AbortController()
      const followed = place.open().inbox.follow(runId, end.signal)[Symbol.asyncIterator]()
      for (const post of posts)
        checkSame((await inTime(followed.next(), 'A post')).value, post, 'A post that the follower got')
      end.abort()
      await followed.return?.()
    },
  },
  {
    name: 'a follower of an inbox gets every post once, including later ones, until it is aborted',
    async check(place) {
      const transcript = await beginRun(place.open())
      await pushAll(transcript, [start])
      await place.open().inbox.post(runId, stop)
      const end = new AbortController()
      const posts = place.open().inbox.follow(runId, end.signal)[Symbol.asyncIterator]()
      checkSame((await inTime(posts.next(), 'The first post')).value, stop, 'The first post')
      const next = posts.next()
      await place.open().inbox.post(runId, stop)
      await place.open().inbox.post(runId, answer)
      checkSame((await inTime(next, 'The second post')).value, answer, 'The second post')
      await place.open().inbox.post(runId, output)
      checkSame((await inTime(posts.next(), 'The third post')).value, output, 'The third post')
      const last = posts.next()
      end.abort()
      checkSame((await inTime(last, 'The end')).done, true, 'The end')
      await transcript.close()
    },
  },
  {
    name: 'posting to a missing run fails',
    async check(place) {
      await checkRefused(() => place.open().inbox.post('nobody', stop), 'RUN_NOT_FOUND', 'A post to a missing run')
    },
  },
  {
    name: "a stranger's post is ignored, and doesn't use up an id",
    needs: 'openAsStranger',
    async check(place) {
      await recordRun(place.open(), parkedRun)
      await place.openAsStranger!().inbox.post(runId, answer)
      checkSame(await place.open().inbox.read(runId), [], 'The posts')
      checkSame(await place.open().inbox.post(runId, answer), 'accepted', "This user's post with the same id")
      checkSame(await place.open().inbox.read(runId), [answer], 'The posts')
      const end = new AbortController()
      const posts = place.open().inbox.follow(runId, end.signal)[Symbol.asyncIterator]()
      checkSame((await inTime(posts.next(), 'The post')).value, answer, 'The posts that the follower got')
      end.abort()
      await posts.return?.()
    },
  },
]
