const { LAWS, FUZZ_SEED } = process.env

/** How much of a law's cases is tried: all of them with `LAWS=full`, a fifth otherwise. */
export const share: number = LAWS === 'full' ? 1 : 1 / 5

/** So many of these cases are tried. */
export function shareOf(cases: number): number {
  return Math.ceil(cases * share)
}

/** The seed of cases that are not made by fast-check: 1, that of `FUZZ_SEED=N`, or another one each time. */
export const seed: number = FUZZ_SEED === 'random' ? Date.now() % 1_000_000 : Number(FUZZ_SEED ?? 1)
