import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

/** Built into the server's package after the page, which empties that folder. Relative addresses work under any path. */
export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  worker: { format: 'es' },
  build: {
    outDir: '../../packages/server/page/playground',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
