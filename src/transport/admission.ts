import { getInternals } from '../core/internals.ts'
import type { Application } from '../core/types.ts'
import { Admission } from '../utils/admission.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'

const CHECKS: OptionChecks = {
  connectionRate: [(rate) => typeof rate === 'number' && rate > 0, 'a number of connections']
}

/**
 * What all transports of an application ask before a connection begins: after a restart all clients come back at once, and
 * calls have to be answered meanwhile. The application setting `connectionRate` says how many may begin in a second; 100 when
 * left out. Throws TypeError for a setting that is not valid.
 */
export function getAdmission(app: Application): Admission {
  const internals = getInternals(app)
  const connectionRate: number | undefined = app.get('connectionRate')

  assertOptions('the settings', { connectionRate }, CHECKS)
  internals.admission ??= new Admission(connectionRate ?? 100)

  return internals.admission
}
