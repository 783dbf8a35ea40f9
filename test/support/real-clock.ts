// The files that a worker runs share its globals: a clock that one of them stopped would stand still in those after it.
import { afterEach, vi } from 'vitest'

afterEach(() => void vi.useRealTimers())
