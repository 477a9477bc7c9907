import { MAX_DEPTH } from '../../limits.ts'
import { KeptText } from '../../reader/kept-text.ts'
import type { Reader } from '../../reader/reader.ts'
import type { State } from '../../reader/states.ts'
import { JsonScanner } from './json-scanner.ts'
import type { JsonSink, ScanProblem } from './json-sink.ts'

/**
 * Reads the open call's arguments if they are one JSON object between its tags. Call `begin` at its brace. `after` is
 * the state after the object, and `broken` returns the state for JSON that can't be read.
 */
export function jsonBody(reader: Reader, after: State, broken: (problem: ScanProblem) => State): { begin(): State } {
  const scanner = new JsonScanner({ rounds: reader.rounds })
  let json = new KeptText()
  const sink: JsonSink = { pass: write, put: write, repair() {} }

  function write(text: string): void {
    json.append(text)
    reader.call?.writeJson(text)
  }

  function begin(): State {
    json = new KeptText()
    scanner.repaired.clear()
    scanner.begin(sink, MAX_DEPTH)
    return body()
  }

  /**
   *   | <｜DSML｜invoke name="read_file">
   * > | {"path": "a"}
   *      ^
   */
  function body(): State {
    reader.at = scanner.read(reader.text, reader.at)
    if (!scanner.done) return body
    if (scanner.problem !== undefined) return broken(scanner.problem)
    for (const repairName of scanner.repaired) reader.call?.repairOrFail(repairName, reader.offset)
    reader.call?.endJson(json.toString(), scanner.members, reader.offset, scanner.hasLargeInteger)
    return after
  }

  return { begin }
}
