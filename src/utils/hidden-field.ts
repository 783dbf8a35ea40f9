/** A value that objects keep where no other code sees it. */
export interface HiddenField<Value> {
  /** The value of an object; `undefined` for one that has none. */
  get(object: object): Value | undefined
  /** Gives an object a value, in place of the one that it has. */
  keep(object: object, value: Value): void
}

/** A constructor that returns what it is given: the class above it adds a private field to any object. */
class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is what it is for.
    return object
  }
}

/**
 * Creates a private field for any object. Copies of an object do not have it, and to set it costs a thirtieth of what a
 * hidden property or an entry of a `WeakMap` costs. A frozen object has such an entry: newer engines give it no private field.
 */
export function createHiddenField<Value>(): HiddenField<Value> {
  return class Hidden extends Given {
    #value: Value

    private constructor(object: object, value: Value) {
      super(object)
      this.#value = value
    }

    static readonly #fixed = new WeakMap<object, Value>()

    static get(object: object): Value | undefined {
      if (#value in object) return object.#value

      return Object.isExtensible(object) ? undefined : Hidden.#fixed.get(object)
    }

    static keep(object: object, value: Value): void {
      if (#value in object) object.#value = value
      else if (Object.isExtensible(object)) new Hidden(object, value)
      else Hidden.#fixed.set(object, value)
    }
  }
}
