import type { Fixtures } from './fixtures.ts'

export interface PageProps {
  fixtures: Fixtures
}
