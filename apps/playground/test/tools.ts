import { sampleTools } from '../src/state/examples.ts'
import { parseTools } from '../src/state/parse-tools.ts'

/** The tools of the samples. */
export const tools = parseTools(sampleTools).tools ?? []
