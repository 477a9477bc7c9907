/** A time of a run: "15.4 s", "3 min 5 s". */
export function seconds(milliseconds: number): string {
  const all = milliseconds / 1000
  if (all < 100) return `${all.toFixed(1)} s`
  return `${Math.floor(all / 60)} min ${Math.round(all % 60)} s`
}

/** Round times for a scale of about this many marks, in milliseconds. */
export function scaleOf(duration: number, marks = 6): number[] {
  if (duration <= 0) return [0]
  const rough = duration / marks
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find(one => one * power >= rough) ?? 10)
  const times: number[] = []
  for (let time = 0; time <= duration; time += step) times.push(time)
  return times
}
