import { useEffect, useLayoutEffect } from 'react'

/** `useLayoutEffect`, without the warning of React 18 on a server, where neither runs. */
export const useBrowserLayoutEffect: typeof useLayoutEffect =
  typeof document === 'undefined' ? useEffect : useLayoutEffect
