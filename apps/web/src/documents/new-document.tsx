import { lazy, type ReactNode, Suspense } from 'react'
import { goTo } from '../frame/use-route.ts'
import type { DocumentList } from '../server/use-documents.ts'

const NewDocumentDialog = lazy(async () => {
  const { NewDocumentDialog } = await import('./new-document-dialog.tsx')
  return { default: NewDocumentDialog }
})

export interface NewDocumentProps {
  isOpen: boolean
  documents: DocumentList
  onMade: () => void
  onClose: () => void
}

/** The new-document panel, loaded when it is first opened. The document opens once it exists. */
export function NewDocument({ isOpen, documents, onMade, onClose }: NewDocumentProps): ReactNode {
  if (!isOpen) return null
  const open = (path: string): void => {
    documents.reload()
    onClose()
    onMade()
    goTo(path)
  }
  return (
    <Suspense>
      <NewDocumentDialog documents={documents.list ?? []} onMade={open} onClose={onClose} />
    </Suspense>
  )
}
