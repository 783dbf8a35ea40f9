import type { AdapterOptions } from 'alula/adapter'
import { createTypeError } from 'alula/plugin'
import { assertSame } from './assert.ts'
import { copy } from './copy.ts'
import { toRandomFields } from './fields.ts'
import type { Kit, Need } from './rule.ts'
import type { AdapterFeatures, AdapterTestOptions, TestedService, ValueKind } from './types.ts'

const FEATURES: AdapterFeatures = {
  booleans: true,
  codeUnits: true,
  cursors: false,
  dates: true,
  insertionOrder: true,
  lists: false,
  missing: true,
  mixedTypes: true,
  negation: true,
  objects: true,
  upsert: false
}

const METHODS = ['find', 'get', 'create', 'update', 'patch', 'remove'].flatMap((name) => [name, `_${name}`])

const DEFAULT_RUNS = 200

/** The options of the suite with nothing left out. */
export interface Setup {
  readonly name: string
  readonly id: string
  readonly ids: readonly ('number' | 'text')[]
  readonly features: AdapterFeatures
  readonly runs: number
  readonly seed: number | undefined
  readonly fields: { readonly [field: string]: readonly ValueKind[] }
  /** Sentences of rules that do not count. */
  readonly skip: readonly string[]
  /** Makes a service without records, with the id field of the suite. */
  create(options: AdapterOptions): Promise<TestedService>
  close(service: TestedService): Promise<void>
}

/** Fills in what the options leave out. Throws TypeError for an option that has a value that it cannot have. */
export function toSetup(options: AdapterTestOptions): Setup {
  const { name, create, close, id = 'id', ids = ['number', 'text'], random = {}, skip = [] } = options
  const features = { ...FEATURES, ...options.features }
  const unknown = Object.keys(features).find((feature) => !Object.hasOwn(FEATURES, feature))

  if (typeof name !== 'string')
    throw createTypeError('ALULA_MISSING_OPTION', "The adapter tests need a 'name', the name of the adapter")
  if (typeof create !== 'function') {
    throw createTypeError(
      'ALULA_MISSING_OPTION',
      "The adapter tests need 'create', a function that makes a service without records"
    )
  }
  if (unknown !== undefined) {
    throw createTypeError(
      'ALULA_UNKNOWN_OPTION',
      `The adapter tests know no feature '${unknown}', but ${Object.keys(FEATURES).join(', ')}`
    )
  }

  return {
    name,
    id,
    ids,
    features,
    runs: random.runs ?? DEFAULT_RUNS,
    seed: random.seed,
    fields: random.fields ?? toRandomFields(features),
    skip,
    create: async (wanted) => assertService(await create({ id, ...wanted })),
    close: async (service) => void (await close?.(service))
  }
}

/** What a rule needs and the store cannot do; `undefined` when the rule counts. */
export function findLack({ features, ids }: Setup, needed: readonly Need[]): Need | undefined {
  return needed.find((need) => {
    switch (need) {
      case 'chosenIds':
        return ids.length === 0
      case 'numberIds':
        return !ids.includes('number')
      case 'textIds':
        return !ids.includes('text')
      default:
        return !features[need]
    }
  })
}

/** Runs something with a kit, and closes what it has opened. */
export async function withKit(setup: Setup, use: (kit: Kit) => Promise<void>): Promise<void> {
  let current: TestedService | undefined

  async function closeCurrent(): Promise<void> {
    const service = current

    current = undefined
    if (service) await setup.close(service)
  }

  async function open(options: AdapterOptions = {}): Promise<TestedService> {
    await closeCurrent()
    current = await setup.create(options)

    return current
  }

  const kit: Kit = {
    id: setup.id,
    features: setup.features,
    open,
    fill: async (records, options) => {
      const service = await open(options)

      for (const record of records) await service.create(copy(record))

      return service
    },
    same: (actual, expected) => assertSame(actual, expected, setup.features),
    chooseId: (number) => toChosenId(setup, number),
    freeId: async (service) => {
      const { [setup.id]: id } = await service.create({ name: 'removed' })

      await service.remove(id)

      return id
    }
  }

  try {
    await use(kit)
  } finally {
    await closeCurrent()
  }
}

/** An id that a creator may choose, another one for each number. */
export function toChosenId({ ids }: Setup, number: number): number | string {
  return ids.includes('number') ? number : `id-${number}`
}

function assertService(service: TestedService): TestedService {
  const missing = METHODS.find((method) => typeof (service as any)?.[method] !== 'function')

  if (missing !== undefined) {
    throw createTypeError(
      'ALULA_INVALID_SERVICE',
      `The adapter tests need 'create' to return a service, but it has no '${missing}'`
    )
  }

  return service
}
