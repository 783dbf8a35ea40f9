import { wrapAround } from './compose.ts'
import { wrapPhases } from './phase.ts'
import type { BaseContext, Layer, Pipeline } from './types.ts'

/** Builds one function from layers of hooks (outermost first), from the inside out, so that a call composes nothing. */
export function compilePipeline<C extends BaseContext>(
  layers: readonly Layer<C>[],
  terminal: Pipeline<C>
): Pipeline<C> {
  return layers.reduceRight(
    (inner, { around, phases }) => around.reduceRight(wrapAround, wrapPhases(inner, phases)),
    terminal
  )
}
