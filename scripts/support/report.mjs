/** Runs checks one after another, prints a line for each, and counts them. */
export function createReport() {
  let passed = 0
  let failed = 0

  return {
    /**
     * @param {string} name What is checked
     * @param {() => unknown} run Throws when the check fails; a string that it returns is printed with the name
     * @returns {Promise<boolean>} Whether it passed
     */
    async check(name, run) {
      try {
        const detail = await run()

        passed++
        console.log(`ok    ${name}${detail ? `: ${detail}` : ''}`)

        return true
      } catch (error) {
        failed++
        console.log(`FAIL  ${name}\n${indent(error.message)}`)

        return false
      }
    },

    /** Adds the counts of a tool that counts by itself and has printed its own lines. */
    add(name, counts) {
      passed += counts.passed
      failed += counts.failed
      console.log(
        `${counts.failed === 0 ? 'ok    ' : 'FAIL  '}${name}: ${counts.passed} passed, ${counts.failed} failed`
      )
    },

    /** Prints the last line and decides the exit code of the process. */
    finish() {
      console.log(`${passed} passed, ${failed} failed`)
      process.exitCode = failed === 0 ? 0 : 1
    }
  }
}

/** Reads the line that `finish` printed; undefined when there is none. */
export function parseCounts(output) {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed\s*$/m.exec(output) ?? []

  return passed === undefined ? undefined : { passed: Number(passed), failed: Number(failed) }
}

function indent(text) {
  return text.trimEnd().replace(/^/gm, '      ')
}
