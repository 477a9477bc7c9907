import type { Post } from '@argot/agent/internal'
import { defined, pickAnswer, readAnswer } from '@argot/core/stream/internal'
import type { AnswerBody } from '../api/bodies.ts'
import type { AnswerResult } from '../api/index.ts'
import type { LogSummary } from './log-summary.ts'

export interface AnsweredRun {
  isOver: boolean
  summary: LogSummary
  posts(): Promise<Post[]>
  post(post: Post): Promise<'accepted' | 'already'>
}

/** Posts an answer to a run, if it is the first answer to an open question with exactly this input. */
export async function postAnswer(
  run: AnsweredRun,
  { approvalId, inputHash, ...decision }: AnswerBody,
  by: string,
): Promise<AnswerResult> {
  const { isOver, summary } = run
  const { pending, answers, ending } = summary
  const firstAnswer = answers.get(approvalId)
  if (firstAnswer !== undefined)
    return { approvalId, status: 409, answer: firstAnswer, message: 'Another answer came first.' }
  const question = pending.find(one => one.approvalId === approvalId)
  if (question === undefined || isOver || ending === 'abort')
    return { approvalId, status: 410, message: 'No question waits for this answer anymore.' }
  if ((await run.posts()).some(({ type }) => type === 'stop')) {
    return { approvalId, status: 410, message: 'The run is being stopped.' }
  }
  if (inputHash !== question.inputHash) {
    return { approvalId, status: 409, message: "The call's input is not the one that was answered." }
  }
  const storedAnswer = { ...decision, by, at: Date.now() }
  const post: Post = { id: `answer:${approvalId}`, type: 'answer', approvalId, inputHash, answer: storedAnswer }
  if ((await run.post(post)) === 'accepted') {
    return { approvalId, status: 200, answer: pickAnswer(storedAnswer) }
  }
  const first = (await run.posts()).find(({ id }) => id === post.id)
  const answer = first?.type === 'answer' ? readAnswer(first.answer) : undefined
  return { approvalId, status: 409, message: 'Another answer came first.', ...defined({ answer }) }
}
