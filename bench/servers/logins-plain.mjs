import { SETTINGS } from '../accounts.mjs'
import { serve } from './logins-budget.mjs'

/** The same users without sessions, and without a budget for failed logins. */
export function createServer() {
  return serve({ ...SETTINGS, budget: false })
}
