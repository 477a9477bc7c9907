import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'

const example = '<tool name="read_file"/>'

/** Below an empty conversation: which tools its model has, and where they are declared. */
export function StartNote({ document, stamp }: { document: string; stamp: string }): ReactNode {
  const { conversation: words } = useWords()
  const [tools, setTools] = useState<readonly string[]>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file that has changed may declare other tools
  useEffect(() => {
    let isMounted = true
    api.text(document).then(
      ({ text }) => isMounted && setTools(readToolNames(text)),
      () => {},
    )
    return () => {
      isMounted = false
    }
  }, [document, stamp])
  if (tools === undefined) return null
  return (
    <p className="demo-note">
      {tools.length === 0 ? words.noTools : words.tools(tools.join(', '))} {words.toolsAre}{' '}
      <code dir="ltr">{example}</code>. {words.toolsHint}
    </p>
  )
}

/** The names that the document declares; comments declare none. */
function readToolNames(text: string): string[] {
  const elements = text.replace(/<!--[\s\S]*?-->/g, '').matchAll(/<tool\s[^>]*?\bname="([^"]{1,64})"/g)
  return [...new Set([...elements].map(([, name]) => name!))]
}
