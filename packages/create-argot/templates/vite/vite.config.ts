import { getRequestListener } from '@hono/node-server'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type PreviewServer, type ViteDevServer } from 'vite'
import { chat } from './chat.ts'

/** The agent runs in the process of `vite` and `vite preview`. For production, serve `dist` and `chat` from your own server. */
const api: Plugin = {
  name: 'api',
  configureServer: serveChat,
  configurePreviewServer: serveChat,
}

function serveChat(server: ViteDevServer | PreviewServer): void {
  const listener = getRequestListener(chat, { overrideGlobalObjects: false })
  server.middlewares.use('/api/chat', (request, response) => void listener(request, response))
}

export default defineConfig({ plugins: [react(), api] })
