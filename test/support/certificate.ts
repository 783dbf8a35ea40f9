import { spawnSync } from 'node:child_process'

/** A certificate for a day, and its key, both in one string. Empty where OpenSSL is missing. */
export const certificate = spawnSync(
  'openssl',
  [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', '-', '-out', '-', '-days', '1', '-subj', '/CN=localhost']
  ],
  { encoding: 'utf8' }
).stdout
