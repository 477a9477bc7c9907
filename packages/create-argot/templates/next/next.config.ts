import type { NextConfig } from 'next'

// Argot loads providers and starts threads by itself, so Next must not bundle it.
const config: NextConfig = { serverExternalPackages: ['@argot/agent', '@argot/core'] }
export default config
