import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { readFragment } from './state/fragment.ts'

const shared = await readFragment(location.hash)
createRoot(document.getElementById('root')!).render(<App shared={shared} />)
