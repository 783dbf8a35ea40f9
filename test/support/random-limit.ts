import fc from 'fast-check'

/**
 * Random tests end before the time limit of a test, so that one that has failed prints its seed and its example, however
 * long a smaller example takes to find. A run at full scale has no limit.
 */
if (process.env.TEST_SCALE === undefined) fc.configureGlobal({ interruptAfterTimeLimit: 60_000 })
