import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

/** The page is built into the server's package, with relative addresses: it works under any path. */
export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  build: {
    outDir: '../../packages/server/page',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
