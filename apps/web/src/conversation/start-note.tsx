import { type ReactNode, useEffect, useState } from 'react'
import { api } from '../server/api.ts'

/** Under an empty conversation: which tools its model has, and where they are declared. */
export function StartNote({ document, stamp }: { document: string; stamp: string }): ReactNode {
  const [tools, setTools] = useState<readonly string[]>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file that has changed may declare other tools
  useEffect(() => {
    let isHere = true
    api.text(document).then(
      ({ text }) => isHere && setTools(readToolNames(text)),
      () => {},
    )
    return () => {
      isHere = false
    }
  }, [document, stamp])
  if (tools === undefined) return null
  return (
    <p className="demo-note">
      {tools.length === 0
        ? 'This document declares no tools, so the model can only talk. '
        : `The model's tools: ${tools.join(', ')}. `}
      Tools are lines of the document such as <code>{'<tool name="read_file"/>'}</code>. Open Source to change them.
    </p>
  )
}

/** The names that the document declares; comments declare none. */
function readToolNames(text: string): string[] {
  const elements = text.replace(/<!--[\s\S]*?-->/g, '').matchAll(/<tool\s[^>]*?\bname="([^"]{1,64})"/g)
  return [...new Set([...elements].map(([, name]) => name!))]
}
