import fc from 'fast-check'

/** The words of a text as JSON, and the empty one. */
const toNames = (text: string) => [...text.split(' '), ''].map((name) => JSON.stringify(name))

const METHODS = toNames('find get create update patch remove echo find get create update patch remove echo')
const EVENTS = toNames(
  'connect connect_error connection disconnect disconnecting newListener removeListener error message ping ' +
    '_find setup teardown hooks on emit publish constructor __proto__ toString hasOwnProperty records~created'
)
const PATHS = toNames(
  'records records records records records records users users notes authentication authentication rooms/1/seats ' +
    'rooms//seats records/1 /records/ //records / __proto__ constructor toString % ..'
)
const KEYS = toNames(
  'id id a a strategy accessToken email password toJSON then length 0 provider user polluted a.b ' +
    '__proto__ constructor prototype toString hasOwnProperty ' +
    '$or $and $in $nin $ne $lt $lte $gt $gte $limit $skip $sort $select $where $inc'
)
const LEAVES = (
  'null true false 0 -0 1 1 2 -1 1.5 1e999 -1e999 1e-999 9007199254740993 "a" "1" "" "2020-01-01" "local" "jwt" ' +
  '"__proto__" "\\ud800" "\\u0000" [] {} {"__proto__":{"polluted":1}} {"constructor":{"prototype":{"polluted":1}}} ' +
  '{"strategy":"local","email":"ann","password":"open~sesame"} {"strategy":"jwt","accessToken":"a.b.c"}'
)
  .split(' ')
  .map((leaf) => leaf.replace('~', ' '))
/** What stands for bytes, the first one for those that are there. */
const PLACEHOLDERS = ['0', '1', '-1', '1e9', '"0"', 'null'].map((num) => `{"_placeholder":true,"num":${num}}`)
const BROKEN = ['[1,2', '{"a":', 'undefined', 'NaN', "'a'", '\u0000', '01']
const LARGE = [
  `[${Array(600).fill('1').join()}]`,
  `{"$or":[${Array(400).fill('{"a":1}').join()}]}`,
  `"${'x'.repeat(20_000)}"`,
  `"${'x'.repeat(110_000)}"`,
  '['.repeat(40_000) + ']'.repeat(40_000),
  `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`
]

/** One of several, the first most of the time. */
const mostly = <T>(usual: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]) =>
  fc.oneof(
    { arbitrary: usual, weight: 12 * others.length },
    ...others.map((arbitrary) => ({ arbitrary, weight: 1 }))
  )

const string = fc.string().map((value) => JSON.stringify(value))

// As text, in which `__proto__` is a name like others, a name may be there twice, and a number may be infinite.
const { value } = fc.letrec<{ value: string }>((tie) => {
  const list = fc.array(tie('value'), { maxLength: 4 }).map((values) => `[${values.join()}]`)
  const object = fc
    .array(fc.tuple(mostly(fc.constantFrom(...KEYS), string), tie('value')), { maxLength: 4 })
    .map((entries) => `{${entries.map((entry) => entry.join(':')).join()}}`)

  return {
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(...LEAVES, ...PLACEHOLDERS),
      object,
      mostly(object, string),
      mostly(object, list)
    )
  }
})

const id = mostly(fc.nat(1000).map(String), fc.constantFrom('', '0', '00', '-1', '1e3', '9'.repeat(400), ' '))
const namespace = mostly(fc.constant(''), fc.constantFrom('/,', '/admin,', '/__proto__,', '/?a=1,', '/'))
const values = fc.array(mostly(value, mostly(value, fc.constantFrom(...LARGE, ...BROKEN))), { maxLength: 3 })
const list = fc
  .tuple(
    mostly(fc.constantFrom(...METHODS), fc.constantFrom(...EVENTS), value),
    mostly(fc.constantFrom(...PATHS), value),
    values
  )
  .map(([event, path, rest]) => `[${[event.replace('~', ' '), path, ...rest].join()}]`)
const event = fc.tuple(namespace, id, list).map((parts) => [`42${parts.join('')}`])
const bytes = fc.uint8Array({ maxLength: 20 }).map((content) => Buffer.from(content))
const binary = fc
  .tuple(fc.constantFrom('45', '45', '46'), fc.constantFrom('1', '2', '0', '-1', '11', 'x', ''), id, list)
  .chain(([type, count, id, list]) =>
    fc
      .array(bytes, { maxLength: 2 })
      .map((files): (string | Buffer)[] => [`${type}${count}-${id}${list}`, ...files])
  )
const matchingBinary = fc
  .tuple(
    id,
    fc.constantFrom(...METHODS),
    fc.constantFrom(...PATHS),
    values,
    mostly(fc.constant(PLACEHOLDERS[0]), fc.constantFrom(...PLACEHOLDERS)),
    bytes
  )
  .map(([id, method, path, [first, ...others], placeholder, file]): (string | Buffer)[] => [
    `451-${id}[${[method, path, ...(first ? [first] : []), `{"a":${placeholder}}`, ...others].join()}]`,
    file
  ])
const other = fc.oneof(
  fc.tuple(
    fc.constantFrom('40', '41', '43', '44', '47', '4', '4x'),
    namespace,
    id,
    fc.oneof(fc.constant(''), value, list)
  ),
  fc.tuple(
    fc.constantFrom('0', '1', '2', '2probe', '3', '3probe', '5', '6', '7', 'b', 'bAAAA', ''),
    fc.string()
  ),
  fc.tuple(fc.string())
)
/** What a client sends: a packet of one frame or of several. */
export const packet = fc.oneof(
  { arbitrary: event, weight: 40 },
  { arbitrary: matchingBinary, weight: 4 },
  { arbitrary: binary, weight: 1 },
  { arbitrary: other.map((parts) => [parts.join('')]), weight: 4 },
  { arbitrary: fc.array(bytes, { minLength: 1, maxLength: 2 }), weight: 1 }
)
