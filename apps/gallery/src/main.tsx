import type {} from '@argot/react'
