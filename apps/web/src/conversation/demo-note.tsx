import type { ReactNode } from 'react'

/** Says of the demo model that it is one, and what to do for another. */
export function DemoNote({ model }: { model: string | undefined }): ReactNode {
  if (model !== 'demo') return null
  return (
    <p className="demo-note">
      This is the demo model: it follows a script and costs nothing. For a real one, set a key such as{' '}
      <code>ANTHROPIC_API_KEY</code> or the address of a server as <code>ARGOT_BASE_URL</code>, start again, and choose
      it above.
    </p>
  )
}
