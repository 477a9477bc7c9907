import type { AskModel } from './ask-model.ts'

export interface RefineOptions {
  ask: AskModel
  /** What is wrong with a proposal. Undefined if it may be used. */
  objectTo: (proposal: string) => string | undefined
  /** How often to look for a better text; 2 by default. */
  rounds?: number | undefined
  /** What the text is for, in the words of the person or model that asks. */
  task?: string | undefined
}

export interface RefinedText {
  text: string
  rounds: number
  /** How many of the rounds led to a better text. */
  accepted: number
  objection?: string | undefined
}

const ROUNDS = 2

const PROPOSE = `You improve prompts for language models. You are given one between the lines <<<PROMPT and PROMPT>>>.
Write it again so that a model follows it better: say the goal first, make each demand clear and testable, remove what is
said twice, keep every fact, name, number and constraint, and keep the language. Keep all markup (anything like <tag …>) exactly as it is,
in its place. Add no demands of your own. Answer with the whole prompt between the same two lines, and nothing else.`

const JUDGE = `You compare two prompts for language models that are meant to say the same. Which one will make a model do what the
author wants better, without adding to it and without losing anything? Answer with one letter on the first line, A or B, and one
sentence on the second line that says why.`

/**
 * Looks for a better text: asks for a proposal, has it judged against the best so far, and keeps it if it is judged
 * better. Limited in rounds. Unusable proposals aren't judged. The code never follows instructions in the text.
 */
export async function refineText(original: string, options: RefineOptions): Promise<RefinedText> {
  const { ask, objectTo, rounds = ROUNDS, task } = options
  const about = task === undefined ? '' : `What it is for: ${task}\n\n`
  let best = original
  let accepted = 0
  let objection: string | undefined
  for (let round = 0; round < rounds; round++) {
    const proposal = betweenMarks(await ask(PROPOSE, `${about}<<<PROMPT\n${best}\nPROMPT>>>`))
    if (proposal === undefined) objection = 'the model returned no prompt'
    else if (proposal.trim() === best.trim()) objection = 'the model changed nothing'
    else objection = objectTo(proposal)
    if (proposal === undefined || objection !== undefined) continue
    // Models prefer the first text, so the two take turns there.
    const isFirst = round % 2 === 1
    const [a, b] = isFirst ? [proposal, best] : [best, proposal]
    const verdict = await ask(JUDGE, `${about}<<<A\n${a}\nA>>>\n\n<<<B\n${b}\nB>>>`)
    const letter = /^\W*([AB])\b/.exec(verdict.trim())?.[1]
    if (letter === (isFirst ? 'A' : 'B')) {
      best = proposal
      accepted++
    } else objection = letter === undefined ? 'the verdict could not be read' : 'it was not better'
  }
  return { text: best, rounds, accepted: accepted, objection }
}

/** The text between the marks, or the whole answer if the model forgot them. */
function betweenMarks(answer: string): string | undefined {
  const from = answer.indexOf('<<<PROMPT')
  const to = answer.lastIndexOf('PROMPT>>>')
  const inside = from >= 0 && to > from ? answer.slice(from + '<<<PROMPT'.length, to) : answer
  const text = inside.replace(/^\s*\n|\n\s*$/g, '')
  return text.trim() === '' || /<<<PROMPT|PROMPT>>>/.test(text) ? undefined : text
}
