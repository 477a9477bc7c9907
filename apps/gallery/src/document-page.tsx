import { type ReactNode, useEffect, useState } from 'react'
import { Column } from './column.tsx'
import { type DocumentToken, highlightDocument } from './highlight-document.ts'

const source = `<!-- What was asked, and what a model wrote. -->
<config model="openai:gpt-5.4-mini" temperature="0.2" tool_syntax="caret"/>

<tool name="read_file"/>

<system>
You write release notes.

{{tools}}
</system>

<user>
Here is the last release: <doc src="CHANGELOG.md" local/>
</user>

<assistant>
I read the list of changes first.

^^^read_file
path: CHANGELOG.md
^^^
</assistant>

<assistant>
> [!tool read_file call_2]
> input:
>   path: README.md
</assistant>

<assistant>
<tool:write_file>
<param:path>notes.md</param:path>
<param:content>
# Notes
</param:content>
</tool:write_file>
</assistant>
`

export function DocumentPage(): ReactNode {
  const [lines, setLines] = useState<readonly (readonly DocumentToken[])[]>()
  useEffect(() => {
    void highlightDocument(source).then(setLines)
  }, [])
  return (
    <Column>
      <h1>A document</h1>
      <div className="policy">
        {lines === undefined ? (
          'Loading…'
        ) : (
          <pre className="document">
            {lines.map((line, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a document that never changes
              <span key={row}>
                {line.map(({ start, text, kind }) => (
                  <span key={start} className={kind === undefined ? undefined : `document-${kind}`}>
                    {text}
                  </span>
                ))}
                {'\n'}
              </span>
            ))}
          </pre>
        )}
      </div>
    </Column>
  )
}
