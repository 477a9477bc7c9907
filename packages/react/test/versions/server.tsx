import { version } from 'react'
import { renderToString } from 'react-dom/server'
import { App } from './app.tsx'

export const page = { version, html: renderToString(<App />) }
