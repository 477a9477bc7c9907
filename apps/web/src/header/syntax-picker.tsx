import { type ReactNode, useEffect, useState } from 'react'
import { Icon } from '../frame/icon.tsx'
import { Menu } from '../frame/menu.tsx'
import { api } from '../server/api.ts'
import { useWishes, wish } from '../server/wishes.ts'
import type { PickerProps } from './model-picker.tsx'

const about: Readonly<Record<string, string>> = {
  native: 'the provider’s own calls',
  auto: 'whatever the model writes',
}

/** How the model writes its calls from the next message on. */
export function SyntaxPicker({ document, usual, isOpen, onOpen }: PickerProps): ReactNode {
  const { syntax: wanted } = useWishes(document)
  const [names, setNames] = useState<readonly string[]>([])
  useEffect(() => {
    if (!isOpen) return
    let isHere = true
    api.models().then(
      found => isHere && setNames(found.syntaxes),
      () => {},
    )
    return () => {
      isHere = false
    }
  }, [isOpen])
  const shown = wanted ?? usual ?? ''
  const own = { key: ' own', label: 'As the document says', note: usual, isChecked: wanted === undefined }
  return (
    <Menu
      name={`Syntax: ${shown}`}
      className="pick wide"
      isOpen={isOpen}
      onOpen={onOpen}
      items={[
        { ...own, onPick: () => wish(document, { syntax: undefined }) },
        ...names.map((name, index) => ({
          key: name,
          label: name,
          note: Object.hasOwn(about, name) ? about[name] : undefined,
          isChecked: name === wanted,
          isApart: index === 0,
          onPick: () => wish(document, { syntax: name }),
        })),
      ]}
    >
      <span className="pick-word">{shown}</span>
      <Icon name="down" />
    </Menu>
  )
}
