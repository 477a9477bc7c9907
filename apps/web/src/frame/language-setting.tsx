import { type ReactNode, useId } from 'react'
import { chooseLanguage, languages, useLanguage } from '../locale/words.ts'

export function LanguageSetting(): ReactNode {
  const { code, page } = useLanguage()
  const id = useId()
  if (languages.length < 2) return null
  return (
    <div className="language-setting">
      <label htmlFor={id}>{page.language}</label>
      <select
        id={id}
        className="field"
        value={code}
        // If the words can't be loaded, the page keeps its language.
        onChange={event => void chooseLanguage(event.currentTarget.value).catch(() => {})}
      >
        {languages.map(one => (
          <option key={one.code} value={one.code} lang={one.code}>
            {one.name}
          </option>
        ))}
      </select>
    </div>
  )
}
