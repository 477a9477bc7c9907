import { ChatBox } from '@mui/x-chat'
import { createRoot } from 'react-dom/client'
import { muiAdapter } from '../../../../../examples/mui-adapter.ts'

/** MUI X Chat alone, with the adapter of docs/serve-it.md. */
createRoot(document.querySelector('#root')!).render(<ChatBox adapter={muiAdapter('/api/chat')} />)
