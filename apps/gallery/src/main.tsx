import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApprovalsPage } from './approvals-page.tsx'
import { BodiesPage } from './bodies-page.tsx'
import { StatesPage } from './states-page.tsx'

const pages: Readonly<Record<string, () => ReactNode>> = {
  states: StatesPage,
  bodies: BodiesPage,
  approvals: ApprovalsPage,
}

const query = new URLSearchParams(location.search)
const name = query.get('page') ?? 'states'
const Page = Object.hasOwn(pages, name) ? pages[name]! : StatesPage
const theme = query.get('theme')
if (theme !== null) document.documentElement.dataset.theme = theme
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
      </nav>
    )}
    <main>
      <Page />
    </main>
  </>,
)
