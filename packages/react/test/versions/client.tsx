import { useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { App } from './app.tsx'

function Page() {
  useEffect(() => {
    document.body.dataset.hydrated = ''
  }, [])
  return <App />
}

hydrateRoot(document.getElementById('root')!, <Page />)
