import type { ReactNode } from 'react'
import { CallState } from './call-state.tsx'
import { Column } from './column.tsx'
import type { PageProps } from './page-props.ts'

export function ApprovalsPage({ fixtures: { approvals } }: PageProps): ReactNode {
  return (
    <Column>
      <h1>Approvals</h1>
      <div className="argot-rail">
        {approvals.map(fixture => (
          <CallState key={fixture.id} fixture={{ ...fixture, streaming: true }} isOpen={undefined} />
        ))}
      </div>
    </Column>
  )
}
