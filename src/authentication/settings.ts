// The setting of an application that holds the configuration: read as it is now, checked whenever it is set.
import { withDefaults } from './options.ts'
import type { AuthenticationConfiguration } from './types.ts'

/**
 * Returns a function that reads a setting with its defaults. The result is the same object until an option has
 * changed: it is asked for many times during a request.
 *
 * @param getSetting Returns the setting, which may have been changed in place
 */
export function createReader(
  getSetting: () => { readonly [option: string]: any }
): () => AuthenticationConfiguration {
  let read: { readonly [option: string]: any } = {}
  let configuration = Object.freeze(withDefaults(read))

  return () => {
    const setting = getSetting()

    if (!hasSameOptions(setting, read)) {
      read = { ...setting }
      configuration = Object.freeze(withDefaults(read))
    }

    return configuration
  }
}

function hasSameOptions(
  one: { readonly [option: string]: unknown },
  other: { readonly [option: string]: unknown }
): boolean {
  let count = 0

  for (const name in one) {
    if (one[name] !== other[name]) return false
    count++
  }

  return count === Object.keys(other).length
}

/**
 * Has a setting checked whenever it is set. A value that is refused leaves the setting as it was.
 *
 * @param settings The settings of an application
 * @param name The name of the setting
 * @param prepare Returns the value to store instead of the one that is set
 * @param check Throws for a value that is not valid; the setting already has it
 */
export function watchSetting(
  settings: Record<string, any>,
  name: string,
  prepare: (value: unknown) => unknown,
  check: () => void
): void {
  // Another service may watch the same setting.
  const outer = Object.getOwnPropertyDescriptor(settings, name)
  let current: unknown = settings[name]

  function read(): unknown {
    return outer?.get ? outer.get.call(settings) : current
  }

  function write(value: unknown): void {
    if (outer?.set) outer.set.call(settings, value)
    else current = value
  }

  Object.defineProperty(settings, name, {
    configurable: true,
    enumerable: true,
    get: read,
    set(value: unknown) {
      const previous = read()

      try {
        write(prepare(value))
        check()
      } catch (error) {
        write(previous)
        throw error
      }
    }
  })
}
