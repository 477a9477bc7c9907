import type { ReactNode } from 'react'

/**
 * A path that is shortened in the middle: two halves, of which the first shrinks first. A file name stays complete as
 * long as there is room, and a cut always shows its ellipsis. The path is drawn unchanged: its hidden characters are
 * already escaped.
 */
export function MiddleCut({
  text,
  className = '',
  part,
}: {
  text: string
  className?: string
  part?: string
}): ReactNode {
  const [head, tail] = halves(text)
  const classes = `argot-mid ${className}`.trimEnd()
  return (
    <span className={classes} data-part={part}>
      {head !== '' && <Half text={head} />}
      <Half text={tail} />
    </span>
  )
}

/** A half this short has no room for an ellipsis, so it is never cut. */
const SHORT_HALF = 4

function Half({ text }: { text: string }): ReactNode {
  return <span data-whole={text.length <= SHORT_HALF ? '' : undefined}>{text}</span>
}

/** A longer name is cut itself, before its extension. */
const LONG_NAME = 40

function halves(path: string): [head: string, tail: string] {
  const slash = Math.max(path.lastIndexOf('/', path.length - 2), path.lastIndexOf('\\', path.length - 2))
  const name = path.slice(slash + 1)
  if (name.length <= LONG_NAME) return [path.slice(0, slash + 1), name]
  const dot = name.lastIndexOf('.')
  const cut = dot > 0 && name.length - dot < 12 ? dot : name.length - 12
  return [path.slice(0, slash + 1 + cut), name.slice(cut)]
}
