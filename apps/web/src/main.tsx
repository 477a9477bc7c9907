import '@argot/react/styles.css'
import './base.css'
import './documents.css'
import './palette.css'
import './side.css'
import './source.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { readToken } from './frame/use-route.ts'
import { startLanguage } from './locale/words.ts'
import { api } from './server/api.ts'

/** The printed address has the token in its fragment. The page exchanges it for a cookie and removes it. */
async function takeToken(): Promise<void> {
  const token = readToken(location.hash)
  if (token === undefined) return
  history.replaceState(null, '', location.pathname + location.search)
  await api.openSession(token).catch(() => {})
}

await Promise.all([takeToken(), startLanguage()])
createRoot(document.getElementById('root')!).render(<App />)
