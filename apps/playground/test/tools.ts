import { parseTools } from '../src/state/parse-tools.ts'
import { sampleTools } from '../src/state/samples.ts'

/** The tools of the samples. */
export const tools = parseTools(sampleTools).tools ?? []
