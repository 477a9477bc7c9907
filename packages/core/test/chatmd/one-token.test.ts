import { checkChatMd, parseChatMd, repairChatMd } from '@argot/core/chatmd'
import { describe, expect, test } from 'vitest'

/** A transcript as a run writes it, with everything in it that can lose a mark. */
const transcript = `<config model="demo" temperature="0.2" show_tool_call/>
<tool name="read_file"/>
<tool name="rg" command="rg --json" description='Searches "files".'/>

<system>
Be brief. Answer in <b>plain</b> words; x < y.
</system>

<user id="u1">
What is in <doc src="a.md" local/> and in a.md?
</user>

<reasoning id="r1" message="m1" step run="r" offset="2">
<summary>
I should read it. It isn't long.
</summary>
</reasoning>

<assistant id="t1" message="m1" phase="commentary" tool_call_id="c1" run="r" offset="3">
I'll read it, then: say what's in it.
</assistant>

<tool_call tool_call_id="c1" function_name="read_file" message="m1" started="2026-01-01T00:00:00.000Z" run="r" offset="4">
RAW|
{"path":"a.md"}
|RAW
</tool_call>

<tool_response tool_call_id="c1" message="m1" ms="12" argot='{"details":{"a":"b c"}}' run="r" offset="5">
RAW|
# Title
<user>
Not a message. </user>
|RAW
</tool_response>

<tool_call tool_call_id="c2" function_name="read_file" message="m1" run="r" offset="6">
  <doc src="./.chatmd/1.tool-call.c2.json" local/>
</tool_call>

<tool_response tool_call_id="c2" message="m1" ms="1" run="r" offset="7">
RAW|
two
|RAW
</tool_response>

<assistant id="t2" message="m1" step phase="final" run="r" offset="9">
It has a title, and that's all.
</assistant>

<assistant message="m1" part="end" finish="stop" run="r" offset="10"/>

<user>
Thanks. Is "a.md" > "b.md"?
</user>
`

/** Each place where a token stands. */
function places(source: string, token: RegExp): { at: number; text: string }[] {
  return [...source.matchAll(token)].map(match => ({ at: match.index, text: match[0] }))
}

/** The tags of the transcript, without what stands in RAW. */
const tags = places(
  transcript.replace(/RAW\|[\s\S]*?\|RAW/g, raw => '.'.repeat(raw.length)),
  /<\/?[a-z_]+(?:"[^"]*"|'[^']*'|[^<>"'])*>/g,
).filter(({ text }) => !/^<\/?b>/.test(text))

function within(token: RegExp): { at: number; text: string }[] {
  return tags.flatMap(tag => places(tag.text, token).map(({ at, text }) => ({ at: tag.at + at, text })))
}

const lost = {
  'a quote': within(/(?<==)(?:"[^"]*"|'[^']*')/g).flatMap(({ at, text }) => [
    { at, text: text[0]! },
    { at: at + text.length - 1, text: text[0]! },
  ]),
  'a `>`': within(/\/?>$/g).map(({ at, text }) => ({ at: at + text.length - 1, text: '>' })),
  'a `/>`': within(/\/>$/g),
  'a `RAW|`': places(transcript, /(?<!\|)RAW\|/g),
  'a `|RAW`': places(transcript, /\|RAW/g),
  'a closing tag': tags.filter(({ text }) => text.startsWith('</')),
}

const wasClean = checkChatMd(transcript)

test('the transcript itself has nothing to fix', () => {
  expect(wasClean).toEqual([])
})

describe.each(Object.entries(lost))('%s that is lost', (_, tokens) => {
  const cases = tokens.map(({ at, text }) => {
    const line = transcript.slice(0, at).split('\n').length
    return [`${line}:${at - transcript.lastIndexOf('\n', at - 1)} ${text}`, at, text] as const
  })

  test.each(cases)('at %s gives at most two diagnostics, the first at the place', (_, at, text) => {
    const source = transcript.slice(0, at) + transcript.slice(at + text.length)
    const found = checkChatMd(source)
    const said = found.map(({ code, range }) => `${code}@${range!.start.line}`)
    expect(found.length, said.join(' ')).toBeLessThanOrEqual(2)
    expect(found.length).toBeGreaterThan(0)
    const place = elementAt(at)
    const first = found[0]!.range!.start.offset
    expect(first >= place.start && first <= place.end, `${said.join(' ')} outside of ${place.text}`).toBe(true)
  })

  test.each(cases)('at %s can be repaired by a machine', (_, at, text) => {
    const source = transcript.slice(0, at) + transcript.slice(at + text.length)
    const { text: repaired } = repairChatMd(source)
    expect(checkChatMd(repaired).filter(({ severity }) => severity === 'error')).toEqual([])
    const ids = (of: string) => parseChatMd(of).document.entries.map(({ type }) => type)
    expect(ids(repaired)).toEqual(ids(transcript))
  })
})

/** The element of the transcript in which a place is, with its closing tag. */
function elementAt(at: number): { start: number; end: number; text: string } {
  const node = parseChatMd(transcript).document.tree.children.find(one => one.start <= at && at < one.end)!
  return { start: node.start, end: node.end, text: transcript.slice(node.start, node.start + 20) }
}
