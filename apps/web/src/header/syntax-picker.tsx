import { Menu, type MenuItem } from '@argot/react/internal'
import { type ReactNode, useEffect, useState } from 'react'
import { Icon } from '../frame/icon.tsx'
import { useStoredSetting } from '../frame/stored-setting.ts'
import { useWords } from '../locale/words.ts'
import { api } from '../server/api.ts'
import { useWishes, wish } from '../server/wishes.ts'
import type { PickerProps } from './model-picker.tsx'

/** The syntax for the next messages: `auto` first, then favourites, then the others. */
export function SyntaxPicker({ document, usual, isOpen, onOpen }: PickerProps): ReactNode {
  const { syntaxes, header } = useWords()
  const about: Readonly<Record<string, string>> = { native: header.nativeSyntax, auto: header.autoSyntax }
  const { syntax: picked } = useWishes(document)
  const [filter, setFilter] = useState('')
  const [names, setNames] = useState<readonly string[]>([])
  const [favourites, setFavourites] = useStoredSetting<readonly string[]>('favourite syntaxes', [], isNames)
  useEffect(() => {
    if (!isOpen) return
    setFilter('')
    let isMounted = true
    api.models().then(
      list => isMounted && setNames(list.syntaxes),
      () => {},
    )
    return () => {
      isMounted = false
    }
  }, [isOpen])
  const word = picked ?? usual ?? ''
  const rank = (name: string): number => (name === 'auto' ? 0 : favourites.includes(name) ? 1 : 2)
  const sorted = names.toSorted((a, b) => rank(a) - rank(b))
  const toggle = (name: string): void =>
    setFavourites(favourites.includes(name) ? favourites.filter(one => one !== name) : [...favourites, name])
  const own = { key: ' own', label: header.asDocument, note: usual, isChecked: picked === undefined }
  const items: MenuItem[] = [
    { ...own, onPick: () => wish(document, { syntax: undefined }) },
    ...sorted.map((name, index) => ({
      key: name,
      label: name,
      note: Object.hasOwn(about, name) ? about[name] : undefined,
      isChecked: name === picked,
      isApart: index === 0 || rank(name) !== rank(sorted[index - 1]!),
      onPick: () => wish(document, { syntax: name }),
    })),
  ]
  return (
    <Menu
      name={header.syntax(word)}
      className="argot-pick wide"
      isOpen={isOpen}
      onOpen={onOpen}
      items={items.filter(({ label, note = '' }) => hasWords(`${label} ${note}`, filter))}
      head={
        <input
          type="search"
          className="field menu-filter"
          aria-label={syntaxes.filter}
          placeholder={syntaxes.filter}
          value={filter}
          autoComplete="off"
          spellCheck={false}
          onChange={event => setFilter(event.target.value)}
        />
      }
      renderEnd={({ key: name }) =>
        rank(name) > 0 &&
        names.includes(name) && (
          <button
            type="button"
            className="menu-star icon-button"
            role="menuitemcheckbox"
            aria-checked={favourites.includes(name)}
            aria-label={syntaxes.favourite(name)}
            tabIndex={-1}
            onClick={() => toggle(name)}
          >
            <Icon name="star" />
          </button>
        )
      }
    >
      <span className="argot-pick-word">{word}</span>
      <Icon name="down" />
    </Menu>
  )
}

function hasWords(text: string, words: string): boolean {
  return words
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.toLowerCase().includes(word))
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(name => typeof name === 'string')
}
