import fc from 'fast-check'
import type { LogEvent } from 'kysely'
import { expect, it } from 'vitest'
import { isFeathersError } from '../../src/errors.ts'
import { kysely } from '../../src/kysely.ts'
import { COMPARISONS, OBJECT_NAMES } from '../support/hostile.ts'
import { scaled } from '../support/scale.ts'
import { createTable, describeDatabases, type TestDatabase } from '../support/sql.ts'

/** Part of every name and text that is made up here: no statement may ever contain it. */
const MARK = 'zqxj'
const COLUMNS = ['id', 'name', 'age', 'active', 'since', 'extra', 'amount']
const SPECIAL = [...OBJECT_NAMES, '', '*', 'null', 'rowid', 'ctid', '$', '$1', '?']
const PIECES = [
  ...[
    "'",
    '"',
    '`',
    ';--',
    "';--",
    '"; drop table alula_hostile; --',
    '/*',
    '*/',
    '\\',
    "\\'",
    '\\"',
    '%',
    '_',
    '|'
  ],
  ...[
    '\0',
    '\n',
    '\r',
    '\u2028',
    '\ud800',
    '\udc00x',
    'é',
    'e\u0301',
    '\u{1f600}',
    '\ufeff',
    '{}',
    '[0]',
    '->',
    '->>'
  ],
  ...["' or '1'='1", ') or (1=1', '{1}', ':name', '@@version', '$1', '?', '??', '\x1a', '/**/union/**/select']
]
const OPERATORS = [...COMPARISONS, '$like', '$notlike']

const hostileText = fc
  .tuple(
    fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 8 })),
    fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme', maxLength: 8 }))
  )
  .map(([before, after]) => `${before}${MARK}${after}`)

const numberText = fc.constantFrom(
  '1',
  '-1',
  '07',
  '1e3',
  '0x10',
  'NaN',
  'Infinity',
  '9'.repeat(30),
  '1.5',
  ' 1',
  'true'
)
const dateText = fc.constantFrom(
  '2024-10-01',
  '2024-10-01T12:30:00Z',
  '0000-00-00',
  '+010000-01-01',
  '2024-02-30',
  'now'
)

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  numberText,
  dateText,
  fc.constantFrom(...SPECIAL, null, undefined, true, false),
  fc.double(),
  fc.integer(),
  fc.constantFrom(2 ** 31, 2 ** 53, -(2 ** 63), 2 ** 64, 1e21, 5e-324, -0),
  fc.bigInt(),
  fc.date({ noInvalidDate: false }),
  fc.uint8Array({ maxLength: 5 })
)

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 8, arbitrary: scalar },
    fc.array(tie('value'), { maxLength: 4 }),
    toObject(fc.oneof(hostileText, fc.constantFrom(...SPECIAL, ...OPERATORS)), tie('value'))
  )
}))

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...COLUMNS) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('extra', 'name'), hostileText).map((path) => path.join('.'))
  },
  fc.constantFrom('extra.a', 'extra.a.b', 'extra.', 'extra..a', 'extra.__proto__', '.', ...SPECIAL),
  hostileText,
  hostileText.map((text) => `$${text}`)
)

const operators = toObject(
  fc.constantFrom(...OPERATORS, '$ilike'),
  fc.oneof(value, fc.array(scalar, { maxLength: 3 }))
)

/** A condition that can be meant: hostile in its values and paths alone. */
const condition = fc.oneof(
  toObject(
    fc.oneof(fc.constantFrom(...COLUMNS), fc.constantFrom('extra', 'extra.a').chain(toPath)),
    scalar,
    1
  ),
  fc
    .tuple(
      fc.oneof(fc.constantFrom(...COLUMNS), fc.constant('extra').chain(toPath)),
      fc.oneof(
        toObject(fc.constantFrom('$ne', '$lt', '$lte', '$gt', '$gte', '$not'), scalar, 1),
        toObject(fc.constantFrom('$in', '$nin'), fc.array(scalar, { maxLength: 3 }), 1),
        toObject(fc.constantFrom('$like', '$notlike', '$ilike'), hostileText, 1)
      )
    )
    .map(([field, test]) => ({ [field]: test }))
)

const meant = fc.oneof(
  { weight: 3, arbitrary: condition },
  fc.tuple(condition, condition).map((both) => ({ $or: both })),
  fc
    .tuple(condition, condition)
    .map((both) => ({ $nor: both, $sort: { name: -1, 'extra.a': 1 }, $limit: '2' }))
)

const { query } = fc.letrec<{ query: any }>((tie) => ({
  query: fc
    .tuple(
      toObject(name, fc.oneof(value, operators)),
      fc.oneof(
        { maxDepth: 3 },
        { weight: 4, arbitrary: fc.constant({}) },
        toObject(
          fc.constantFrom('$and', '$or', '$nor'),
          fc.oneof(fc.array(tie('query'), { maxLength: 3 }), value)
        ),
        toObject(fc.constant('$not'), tie('query'))
      ),
      fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        toObject(fc.constant('$sort'), fc.oneof(toObject(name, fc.constantFrom(1, -1, '1', '-1')), value)),
        toObject(fc.constant('$select'), fc.oneof(fc.array(name, { maxLength: 3 }), value)),
        toObject(fc.constantFrom('$limit', '$skip'), scalar)
      )
    )
    .map((parts) => Object.fromEntries(parts.flatMap((part) => Object.entries(part))))
}))

/** Data that can be meant: hostile in its text alone. */
const record = fc.record(
  {
    name: fc.option(fc.oneof(hostileText, fc.constantFrom(...SPECIAL))),
    age: fc.option(fc.integer()),
    active: fc.boolean(),
    since: fc.option(dateText),
    extra: value,
    amount: fc.oneof(fc.integer(), numberText)
  },
  { requiredKeys: [] }
)

const data = fc.oneof(
  { weight: 10, arbitrary: record },
  { weight: 6, arbitrary: toObject(fc.constantFrom(...COLUMNS), value) },
  { weight: 2, arbitrary: toObject(name, value) },
  fc.array(toObject(fc.constantFrom(...COLUMNS), value), { maxLength: 3 })
)

const asking = fc.oneof({ weight: 2, arbitrary: meant }, query)

const id = fc.oneof({ weight: 3, arbitrary: fc.constantFrom<any>(1, '1', 2) }, scalar as fc.Arbitrary<any>)

/** An object with such names. `__proto__` is a name like any other. */
function toObject(
  names: fc.Arbitrary<string>,
  values: fc.Arbitrary<unknown>,
  minLength = 0
): fc.Arbitrary<any> {
  return fc
    .array(fc.tuple(names, values), { minLength, maxLength: Math.max(minLength, 3) })
    .map((entries) => Object.fromEntries(entries))
}

/** A path through a column of JSON. */
function toPath(column: string): fc.Arbitrary<string> {
  return hostileText.map((text) => `${column}.${text}`)
}

async function open(database: TestDatabase) {
  const { countedId, text, number, boolean, date, json } = database
  const statements: string[] = []
  const db = await createTable(
    database,
    'alula_hostile',
    `id ${countedId}, name ${text} unique, age integer, active ${boolean}, since ${date}, extra ${json}, amount ${number}`,
    ({ query: { sql } }: LogEvent) => void statements.push(sql)
  )
  const service: any = kysely({
    Model: db,
    name: 'alula_hostile',
    multi: true,
    operators: ['$not', '$nor', '$like', '$notlike', '$ilike']
  })
  const records = [
    {
      id: 1,
      name: "Ada's",
      age: 36,
      active: true,
      since: new Date(0),
      extra: { a: { b: "'" } },
      amount: 1.5
    },
    { id: 2, name: 'Bob"', age: null, active: false, since: null, extra: ['x', 1], amount: null },
    {
      id: 3,
      name: null,
      age: -1,
      active: null,
      since: null,
      extra: JSON.parse('{"__proto__":{"a":1}}'),
      amount: -0.5
    }
  ]

  async function reset(): Promise<any[]> {
    await db.deleteFrom('alula_hostile').execute()

    return await service.create(records)
  }

  return { db, service, statements, reset }
}

/** Waits for the answer to a call. An error must be that of a client. */
async function assertAnswer(call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
  } catch (error: any) {
    if (!isFeathersError(error) || error.code >= 500) {
      throw new Error(`${error.name}: ${error.message}: ${error.cause?.message}`, { cause: error })
    }
  }
}

describeDatabases('whatever a client sends', (database) => {
  it('to read, is a result or a mistake of its own, and changes neither a statement nor a record', async () => {
    const { service, statements, reset } = await open(database)
    const before = await reset()

    let reached = 0

    await fc.assert(
      fc.asyncProperty(asking, fc.option(id, { nil: undefined }), async (asked, key) => {
        statements.length = 0
        await assertAnswer(() =>
          key === undefined ? service.find({ query: asked }) : service.get(key, { query: asked })
        )
        if (statements.length > 0) reached++
        expect(statements.filter((text) => text.includes(MARK) || !/^\s*select\b/i.test(text))).toEqual([])
      }),
      { numRuns: scaled(10_000) }
    )

    // Enough of them went through to the database.
    expect(reached).toBeGreaterThan(scaled(10_000) / 4)
    expect(await service.find()).toEqual(before)
  }, 600_000)

  it('to write, is a result or a mistake of its own, and changes no statement', async () => {
    const { service, statements, reset } = await open(database)
    const methods = fc.constantFrom('create', 'update', 'patch', 'patchAll', 'remove', 'removeAll')

    let reached = 0

    await fc.assert(
      fc.asyncProperty(methods, id, data, asking, async (method, key, given, asked) => {
        await reset()
        statements.length = 0
        await assertAnswer(() => {
          const params = { query: asked }

          switch (method) {
            case 'create':
              return service.create(given, params)
            case 'update':
              return service.update(key, given, params)
            case 'patch':
              return service.patch(key, given, params)
            case 'patchAll':
              return service.patch(null, given, params)
            case 'remove':
              return service.remove(key, params)
            default:
              return service.remove(null, params)
          }
        })
        if (statements.length > 0) reached++
        expect(statements.filter((text) => text.includes(MARK))).toEqual([])
      }),
      { numRuns: scaled(10_000) }
    )

    // Conditions that no record can meet run no statement.
    expect(reached).toBeGreaterThan(scaled(10_000) / 8)
    expect(({} as any)[MARK]).toBeUndefined()
    expect(await reset()).toHaveLength(3)
  }, 600_000)

  it('as a name or a value, makes the statement that a harmless one makes', async () => {
    const { db, service, statements } = await open(database)

    /** The texts of the statements that read by a path in JSON and by a value. */
    async function read(path: string, text: string): Promise<string> {
      statements.length = 0
      await service.find({
        query: {
          name: text,
          [`extra.${path}`]: { $ne: text },
          $sort: { [`extra.${path}`]: 1 },
          $select: ['name', `extra.${path}`]
        }
      })

      return statements.join()
    }

    /** Those that look for a table in a schema which is not there. The name itself is left out. */
    async function lookIn(schema: string): Promise<string> {
      const service = kysely({ Model: db, name: 'alula_hostile', schema })

      statements.length = 0
      await expect(service.find()).rejects.toMatchObject({ type: 'FeathersError' })

      return statements.map((text) => text.replaceAll(quote(schema), '')).join()
    }

    await service.find()

    // What cannot be reached in JSON, and what is no text, is a constant in the statement.
    const texts = new Set<string>()

    for (const path of ['a', 'a"', 'a\0']) for (const text of ['x', '\0']) texts.add(await read(path, text))

    const schemaText = await lookIn('nowhere')

    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, async (name, text) => {
        // A step of a path that begins with `$` is refused, and one with a dot is two.
        expect(texts).toContain(await read(`x${name.replaceAll('.', '')}`, text))
        // Some servers object to the name before the last of them.
        expect(schemaText).toContain(await lookIn(name))

        statements.length = 0

        for (const call of [
          () => service.find({ query: { [name]: text } }),
          () => service.find({ query: { $sort: { [name]: 1 } } }),
          () => service.find({ query: { $select: [name] } }),
          () => service.find({ query: { [`name.${name}`]: text } }),
          () => service.create({ [name]: text }),
          () => service.patch(1, { [name]: text })
        ]) {
          await expect(call()).rejects.toMatchObject({ code: 400 })
        }

        expect(statements).toEqual([])
      }),
      { numRuns: scaled(20_000) }
    )
  }, 600_000)

  function quote(name: string): string {
    const mark = database.name === 'MariaDB' ? '`' : '"'

    return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`
  }
})
