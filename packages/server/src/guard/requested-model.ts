import { findRecording } from '@argot/agent/internal'
import { Problem } from './problem.ts'

/**
 * The model that a request names. `replay:FILE` reads a file on this machine. Only the user who starts the server may
 * name it, and a document for a file next to it.
 */
export function requestedModel(name: string | undefined): string | undefined {
  if (findRecording(name) === undefined) return name
  throw new Problem(400, 'SERVER_BAD_MODEL', 'A request may not name a recording (`replay:…`) as its model.')
}
