import '@argot/react/styles.css'
import './style.css'
import type { ReactNode } from 'react'

export const metadata = { title: 'Argot', icons: { icon: 'data:,' } }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
