import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

/** The gallery runs from source, and is built with relative addresses, so that any folder can serve it. */
export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: { conditions: ['@argot/source', ...defaultClientConditions] },
  // The calls that it shows are data, shared with the tests.
  publicDir: '../../fixtures/calls',
  build: { outDir: 'dist', target: 'es2023', assetsInlineLimit: 0 },
})
