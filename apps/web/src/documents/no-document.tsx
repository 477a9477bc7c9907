import { type ReactNode, useState } from 'react'
import { ProblemAlert } from '../frame/problem-alert.tsx'
import { goTo } from '../frame/use-route.ts'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'

/** A first document: it needs no key, and its calls read and change files in its folder. */
const exampleDocument = `<config model="demo" show_tool_call/>
<tool name="read_dir"/>
<tool name="read_file"/>
<tool name="find_and_replace"/>
<tool name="ask_user"/>
`

export function NoDocuments({ onNew, onMade }: { onNew: () => void; onMade: () => void }): ReactNode {
  const { documents: words } = useWords()
  const [problem, setProblem] = useState<string>()
  const openExample = async (): Promise<void> => {
    try {
      await api.write('example.chatmd', exampleDocument)
      onMade()
      goTo('example.chatmd')
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <div className="blank">
      <h2>{words.none}</h2>
      <p>{words.noneHint}</p>
      <div className="acts">
        <button type="button" className="button" data-kind="primary" onClick={onNew}>
          {words.new}
        </button>
        <button type="button" className="button" onClick={() => void openExample()}>
          {words.openExample}
        </button>
      </div>
      <ProblemAlert problem={problem} />
    </div>
  )
}

export function NoSuchDocument({ document }: { document: string }): ReactNode {
  const { documents: words } = useWords()
  return (
    <div className="blank">
      <h2>{words.missing(document)}</h2>
      <p>{words.missingHint}</p>
    </div>
  )
}
