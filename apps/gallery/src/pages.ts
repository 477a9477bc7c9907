import type { ReactNode } from 'react'
import { ApprovalsPage } from './approvals-page.tsx'
import { BodiesPage } from './bodies-page.tsx'
import { DocumentPage } from './document-page.tsx'
import { KindsPage } from './kinds-page.tsx'
import type { PageProps } from './page-props.ts'
import { PlaygroundPage } from './playground-page.tsx'
import { StatesPage } from './states-page.tsx'
import { StreamPage } from './stream-page.tsx'
import { TurnPage } from './turn-page.tsx'
import { WidgetPage } from './widget-page.tsx'

export const pages: Readonly<Record<string, (props: PageProps) => ReactNode>> = {
  states: StatesPage,
  turn: TurnPage,
  bodies: BodiesPage,
  kinds: KindsPage,
  approvals: ApprovalsPage,
  widget: WidgetPage,
  playground: PlaygroundPage,
  document: DocumentPage,
  stream: StreamPage,
}
