import { createRoot } from 'react-dom/client'
import { chatPages } from './chat-pages.tsx'
import { loadFixtures } from './fixtures.ts'
import { loadLook, lookNames } from './looks.ts'
import { pages as partPages } from './pages.ts'

const pages = { ...partPages, ...chatPages }
const query = new URLSearchParams(location.search)
const requestedName = query.get('page') ?? ''
const name = Object.hasOwn(pages, requestedName) ? requestedName : 'states'
const Page = pages[name as keyof typeof pages]!
const theme = query.get('theme')
if (theme !== null) document.documentElement.dataset.theme = theme
await loadLook(query.get('look'))
const density = query.get('density')
if (density !== null) document.documentElement.dataset.density = density
document.documentElement.dir = query.get('dir') === 'rtl' ? 'rtl' : 'ltr'

createRoot(document.getElementById('root')!).render(
  <>
    {query.get('bare') === null && (
      <nav className="nav" aria-label="Pages">
        {Object.keys(pages).map(one => (
          <a key={one} href={`?page=${one}`} aria-current={one === name ? 'page' : undefined}>
            {one}
          </a>
        ))}
        {[...lookNames, 'none'].map(one => (
          <a key={one} href={`?page=${name}&look=${one}`} aria-current={one === query.get('look') ? 'page' : undefined}>
            {one}
          </a>
        ))}
      </nav>
    )}
    <main>
      <Page fixtures={await loadFixtures()} />
    </main>
  </>,
)
