// node --import ../support/redirect.mjs walk.mjs ROAD: makes one request on a warm process, and sends what it entered to the
// process that forked this one: `{ counts, text }`, or `{ reason }` where that is impossible.
import { count, formatEntries, record } from './recording.mjs'

const WARMUP_REQUESTS = 3

const { findReason, pick = (entries) => entries, prepare } = await import(`./${process.argv[2]}.mjs`)
const reason = await findReason?.()

process.send(reason === undefined ? await walk() : { reason })
process.disconnect()

async function walk() {
  const { request, close } = await prepare()

  for (let index = 0; index < WARMUP_REQUESTS; index++) await request()

  const { entries } = await record(request)
  const picked = pick(entries)

  await close()

  return { counts: count(picked), text: formatEntries(picked) }
}
