import type { ListedModel } from '@argot/server/api'
import { type ReactNode, useEffect, useState } from 'react'
import { AskDialog } from '../frame/ask-dialog.tsx'
import { Icon } from '../frame/icon.tsx'
import { Menu, type MenuItem } from '../frame/menu.tsx'
import { api } from '../server/api.ts'
import { useWishes, wish } from '../server/wishes.ts'

export interface PickerProps {
  document: string
  /** What the document uses where nothing is picked. */
  usual: string | undefined
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

/** The model that answers from the next message on: those that can be used here, and any other by its name. */
export function ModelPicker({ document, usual, isOpen, onOpen }: PickerProps): ReactNode {
  const { model: wanted } = useWishes(document)
  const [models, setModels] = useState<readonly ListedModel[]>()
  const [isAsking, setAsking] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    let isHere = true
    api.models().then(
      found => isHere && setModels(found.models),
      () => isHere && setModels([]),
    )
    return () => {
      isHere = false
    }
  }, [isOpen])
  const shown = wanted ?? usual ?? ''
  const pick = (model: string | undefined): void => wish(document, { model })
  const isListed = wanted === undefined || models?.some(({ name }) => name === wanted) === true
  const items: MenuItem[] = [
    {
      key: ' own',
      label: 'As the document says',
      note: usual,
      isChecked: wanted === undefined,
      onPick: () => pick(undefined),
    },
    ...(isListed ? [] : [{ key: wanted, label: wanted, isChecked: true, onPick: () => {} }]),
    ...(models ?? [])
      .toSorted((a, b) => Number(b.isReady) - Number(a.isReady))
      .map(({ name, title, isReady, needs }, index) => ({
        key: name,
        label: name,
        note: needs === undefined ? title : `${title}: ${needs}`,
        isChecked: name === wanted,
        isDisabled: !isReady,
        isApart: index === 0,
        onPick: () => pick(name),
      })),
    { key: ' other', label: 'Another model …', isApart: true, onPick: () => setAsking(true) },
  ]
  return (
    <>
      <Menu
        name={`Model: ${shown}`}
        className="pick wide"
        isOpen={isOpen}
        onOpen={onOpen}
        items={items}
        note={models === undefined ? 'Looking for models …' : undefined}
      >
        <span className="pick-word">{shown}</span>
        <Icon name="down" />
      </Menu>
      {isAsking && (
        <AskDialog
          title="Another model"
          label="Its name, as PROVIDER:NAME"
          initial={wanted ?? ''}
          action="Use it"
          onDone={name => {
            setAsking(false)
            if (name !== undefined) pick(name)
          }}
        />
      )}
    </>
  )
}
