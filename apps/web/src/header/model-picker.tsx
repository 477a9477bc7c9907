import { ModelPicker as Picker } from '@argot/react'
import type { ListedModel } from '@argot/server/api'
import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'
import { useWishes, wish } from '../server/wishes.ts'

export interface PickerProps {
  document: string
  /** The document's own choice, if nothing is picked. */
  usual: string | undefined
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

/** The model for the next messages: one that can be used here, or any other by its name. */
export function ModelPicker({ document, usual, isOpen, onOpen }: PickerProps): ReactNode {
  const { header } = useWords()
  const { model } = useWishes(document)
  const [models, setModels] = useState<readonly ListedModel[]>()
  useEffect(() => {
    if (!isOpen) return
    let isMounted = true
    api.models().then(
      list => isMounted && setModels(list.models),
      () => isMounted && setModels([]),
    )
    return () => {
      isMounted = false
    }
  }, [isOpen])
  return (
    <Picker
      models={models}
      value={model}
      usual={usual}
      usualLabel={header.asDocument}
      className="wide"
      isOpen={isOpen}
      onOpen={onOpen}
      onChange={next => wish(document, { model: next })}
    />
  )
}
