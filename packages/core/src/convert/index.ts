export { convert } from './convert.ts'
export { detectFormat } from './format.ts'
export { readTranscript } from './read.ts'
export { writeTranscript } from './write.ts'
