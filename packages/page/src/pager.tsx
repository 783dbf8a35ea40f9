interface PagerProps {
  readonly skip: number
  readonly limit: number
  /** How many records a page has: the service may have fewer than were chosen. */
  readonly size: number
  /** How many records are shown. */
  readonly shown: number
  /** How many records came, which may be more where the service knows no pages. */
  readonly found: number
  /** How many there are on all pages, where that is known. */
  readonly total: number | undefined
  /** Whether there is a page after it, where the page says so. */
  readonly hasNext: unknown
  readonly onChange: (page: { readonly skip: number; readonly limit?: number }) => void
  readonly onRefresh: () => void
}

const SIZES = [10, 25, 50, 100]

/** Which records are shown, and the way to others. */
export function Pager({ skip, limit, size, shown, found, total, hasNext, onChange, onRefresh }: PagerProps) {
  return (
    <footer class="pager">
      <span role="status">{toCount(skip, shown, found, total)}</span>
      <label>
        Rows
        <select
          value={limit}
          onChange={({ currentTarget }) => onChange({ limit: Number(currentTarget.value), skip: 0 })}
        >
          {SIZES.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        aria-label="Previous"
        disabled={skip === 0}
        onClick={() => onChange({ skip: Math.max(skip - size, 0) })}
      >
        ←
      </button>
      <button
        type="button"
        aria-label="Next"
        disabled={!(hasNext ?? (total === undefined ? found >= size : skip + shown < total))}
        onClick={() => onChange({ skip: skip + shown })}
      >
        →
      </button>
      <button type="button" class="quiet" aria-label="Refresh" onClick={onRefresh}>
        ↻
      </button>
    </footer>
  )
}

function toCount(skip: number, shown: number, found: number, total: number | undefined): string {
  const format = (count: number) => count.toLocaleString('en')

  if (shown === 0) return total ? `0 of ${format(total)}` : '0 records'

  const range = `${format(skip + 1)}–${format(skip + shown)}`

  if (total !== undefined) return `${range} of ${format(total)}`

  return found > shown ? `${range} of ${format(found)}` : range
}
