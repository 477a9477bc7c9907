import type { CallToWrite } from '../../../message/tool-invocation.ts'
import { MAX_CALL, MAX_NAME, MAX_PARAMETERS } from '../../limits.ts'
import { isName } from '../../tool-names.ts'
import { checkCall } from '../../value/check-call.ts'
import { parseJson } from '../../value/json-text.ts'
import { refuse, writeJson } from '../../value/write-value.ts'

/** Throws `SYNTAX_CANNOT_WRITE` for input that wouldn't read back. */
export function inputJson(call: CallToWrite): string {
  const { toolName, input = {} } = checkCall(call)
  if (!isName(toolName) || toolName.length > MAX_NAME) refuse(`${JSON.stringify(toolName)} is not a name`)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) refuse('the input is not an object')
  const keys = Object.entries(input).filter(([, value]) => value !== undefined)
  for (const [key] of keys) {
    if (!isName(key) || key.length > MAX_NAME) refuse(`${JSON.stringify(key)} is not a name`)
  }
  if (keys.length > MAX_PARAMETERS) refuse(`there are more than ${MAX_PARAMETERS} parameters`)
  const json = writeJson(input)
  if (json.length > MAX_CALL) refuse(`it is longer than ${MAX_CALL} characters`)
  for (const [, value] of keys) if (parseJson(writeJson(value)) === 'too-deep') refuse('it nests too deeply')
  return json
}
