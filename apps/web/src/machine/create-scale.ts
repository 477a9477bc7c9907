/** Round times for a scale of about this many marks, in milliseconds. */
export function createScale(duration: number, marks = 6): number[] {
  if (duration <= 0) return [0]
  const rough = duration / marks
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find(one => one * power >= rough) ?? 10)
  const times: number[] = []
  for (let time = 0; time <= duration; time += step) times.push(time)
  return times
}
