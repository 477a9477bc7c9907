/**
 * How long to wait for an existing leader's answer, how often a leader announces itself, and after how long without an
 * announcement it is considered gone. In milliseconds.
 */
const ANSWER_MS = 300
const BEAT_MS = 1000
const GONE_MS = 4000

/**
 * Makes one page of this origin the leader, and another one after it has left. The returned function resigns. Web Locks
 * decide if they exist. They don't on plain http at another host than this machine; such pages ask each other.
 */
export function electLeader(name: string, lead: () => void): () => void {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  if (locks !== undefined) return electByLock(locks, name, lead)
  if (typeof BroadcastChannel !== 'undefined') return electByMessages(name, lead)
  lead()
  return () => {}
}

function electByLock(locks: LockManager, name: string, lead: () => void): () => void {
  const waiting = new AbortController()
  let release = (): void => {}
  const untilReleased = new Promise<void>(resolve => {
    release = resolve
  })
  locks
    .request(name, { signal: waiting.signal }, () => {
      lead()
      return untilReleased
    })
    .catch(() => {})
  return () => {
    release()
    waiting.abort()
  }
}

/**
 * The leader announces itself again and again; a page that hears nothing for a while becomes the leader. Two pages may
 * lead for a moment. That costs a connection, but no page receives anything twice.
 */
function electByMessages(name: string, lead: () => void): () => void {
  const channel = new BroadcastChannel(`${name} leader`)
  const id = Math.random()
  let isLeader = false
  let lastBeatAt = 0
  const beat = (): void => channel.postMessage({ type: 'lead', id })
  channel.onmessage = ({ data }: MessageEvent<{ type: 'lead' | 'ask' | 'leave'; id: number }>) => {
    if (data.type === 'ask' && isLeader) beat()
    if (data.type === 'lead') lastBeatAt = Date.now()
    if (data.type === 'leave') {
      lastBeatAt = 0
      setTimeout(takeOver, ANSWER_MS * id)
    }
  }
  const takeOver = (): void => {
    if (isLeader || Date.now() - lastBeatAt < GONE_MS) return
    isLeader = true
    beat()
    lead()
  }
  channel.postMessage({ type: 'ask', id })
  const first = setTimeout(takeOver, ANSWER_MS * (1 + id))
  const timer = setInterval(() => (isLeader ? beat() : takeOver()), BEAT_MS)
  return () => {
    clearTimeout(first)
    clearInterval(timer)
    if (isLeader) channel.postMessage({ type: 'leave', id })
    channel.close()
  }
}
