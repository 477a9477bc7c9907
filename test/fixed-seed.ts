import fc from 'fast-check'

/**
 * The same cases in every run, so that a change is what makes a test fail. `npm run fuzz` takes other cases each time,
 * and `FUZZ_SEED=N` those of one seed; a failure prints its seed.
 */
const { FUZZ_SEED } = process.env
if (FUZZ_SEED !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(FUZZ_SEED ?? 1) })
