import { useState } from 'preact/hooks'
import type { PageService } from '../../../src/openapi/page-data.ts'
import type { Query } from './request.ts'

/** A condition of a query. */
export interface Filter {
  readonly field: string
  readonly operator: string
  readonly value: string
}

/** What the operators are called on the page. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['$eq', 'is'],
  ['$ne', 'is not'],
  ['$gte', '≥'],
  ['$gt', '>'],
  ['$lte', '≤'],
  ['$lt', '<'],
  ['$in', 'is one of'],
  ['$null', 'is null'],
  ['$contains', 'has'],
  ['$overlaps', 'has one of']
])

/** These compare sizes, which truth values and lists do not have. */
const ORDERING = ['$gte', '$gt', '$lte', '$lt']

/** These ask for elements of lists, which have no others. */
const OF_LISTS = ['$contains', '$overlaps']

/** These take several values. */
const SEVERAL = ['$in', '$overlaps']

/** The query that filters stand for: one value by itself, several conditions of a field as one object. */
export function toFilterQuery(filters: readonly Filter[]): Query {
  const conditions = new Map<string, Map<string, unknown>>()

  for (const { field, operator, value } of filters) {
    const known = conditions.get(field) ?? new Map<string, unknown>()

    conditions.set(field, known)
    known.set(operator, toValue(operator, value))
  }

  return Object.fromEntries(
    [...conditions].map(([field, known]) => {
      const [first] = known

      return [field, known.size === 1 && first?.[0] === '$eq' ? first[1] : Object.fromEntries(known)]
    })
  )
}

/** Strings: the server converts them as it does those of a URL. */
function toValue(operator: string, value: string): unknown {
  return SEVERAL.includes(operator) ? value.split(',').map((one) => one.trim()) : value
}

interface FiltersProps {
  readonly service: PageService
  readonly filters: readonly Filter[]
  readonly onChange: (filters: readonly Filter[]) => void
}

/** The filters of a query, and a form for a further one. */
export function Filters({ service, filters, onChange }: FiltersProps) {
  const fields =
    service.filters && Object.keys(service.filters).filter((path) => toOperators(service, path).length > 0)
  const [field, setField] = useState(fields?.[0] ?? '')
  const [chosen, setOperator] = useState('$eq')
  const [value, setValue] = useState('')
  const operators = toOperators(service, field)
  const operator = operators.includes(chosen) ? chosen : (operators[0] ?? '$eq')

  function add(event: SubmitEvent): void {
    event.preventDefault()
    if (field === '') return

    // Twice the same condition would be one.
    const others = filters.filter((filter) => filter.field !== field || filter.operator !== operator)

    onChange([...others, { field, operator, value }])
    setValue('')
  }

  if (fields?.length === 0) return null

  return (
    <div class="filters">
      <form aria-label="Filter" noValidate onSubmit={add}>
        <FieldName
          fields={fields}
          field={field}
          onField={(name) => {
            setField(name)
            if (fields) setValue('')
          }}
        />
        <select
          aria-label="Operator"
          value={operator}
          onChange={({ currentTarget }) => setOperator(currentTarget.value)}
        >
          {operators.map((name) => (
            <option key={name} value={name}>
              {OPERATORS.get(name)}
            </option>
          ))}
        </select>
        <FilterValue service={service} field={field} operator={operator} value={value} onValue={setValue} />
        <button type="submit">Filter</button>
      </form>
      {filters.length > 0 && <FilterList filters={filters} onChange={onChange} />}
    </div>
  )
}

interface FieldNameProps {
  /** Those that may be filtered by; `null` where they are not known. */
  readonly fields: readonly string[] | null
  readonly field: string
  readonly onField: (field: string) => void
}

function FieldName({ fields, field, onField }: FieldNameProps) {
  if (!fields) {
    return (
      <input
        aria-label="Field"
        placeholder="field"
        value={field}
        onInput={({ currentTarget }) => onField(currentTarget.value)}
      />
    )
  }

  return (
    <select aria-label="Field" value={field} onChange={({ currentTarget }) => onField(currentTarget.value)}>
      {fields.map((path) => (
        <option key={path}>{path}</option>
      ))}
    </select>
  )
}

function FilterList({ filters, onChange }: Pick<FiltersProps, 'filters' | 'onChange'>) {
  return (
    <ul aria-label="Filters">
      {filters.map((filter) => (
        <li key={`${filter.field} ${filter.operator}`}>
          <span class="mono">{filter.field}</span> {OPERATORS.get(filter.operator)}{' '}
          <span class="mono value">{filter.value === '' ? '∅' : filter.value}</span>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove the filter ${filter.field} ${filter.value}`}
            onClick={() => onChange(filters.filter((other) => other !== filter))}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  )
}

interface FilterValueProps {
  readonly service: PageService
  readonly field: string
  readonly operator: string
  readonly value: string
  readonly onValue: (value: string) => void
}

function FilterValue({ service, field, operator, value, onValue }: FilterValueProps) {
  const { kinds = [], values } = getFilter(service, field) ?? {}
  const isSeveral = SEVERAL.includes(operator)
  const isTruth = operator === '$null' || (kinds.length === 1 && kinds[0] === 'boolean')
  const choices = isTruth ? [true, false] : values

  if (choices && !isSeveral) {
    return (
      <select aria-label="Value" value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        <option value="">–</option>
        {choices.map((choice) => (
          <option key={String(choice)}>{String(choice)}</option>
        ))}
      </select>
    )
  }

  const isDate = kinds.length === 1 && kinds[0] === 'date' && !isSeveral && !isTruth

  return (
    <input
      key={isDate ? 'date' : 'text'}
      type={isDate ? 'date' : 'text'}
      aria-label="Value"
      placeholder={isSeveral ? 'one, another' : 'value'}
      value={value}
      autoComplete="off"
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  )
}

function getFilter({ filters }: PageService, field: string) {
  return filters && Object.hasOwn(filters, field) ? filters[field] : undefined
}

function toOperators(service: PageService, field: string): readonly string[] {
  const { kinds = [], values, isNullable } = getFilter(service, field) ?? {}
  const hasOrder = !values && !(kinds.length === 1 && kinds[0] === 'boolean')
  const isList = kinds.includes('list')

  return [...OPERATORS.keys()].filter(
    (name) =>
      isList === OF_LISTS.includes(name) &&
      (isNullable || name !== '$null') &&
      (hasOrder || !ORDERING.includes(name)) &&
      (name === '$eq' || !service.operators || service.operators.includes(name))
  )
}
