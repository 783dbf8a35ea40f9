export { TEST_FIELDS } from './adapters/fields.ts'
export { adapterTests } from './adapters/suite.ts'
export type {
  AdapterFeatures,
  AdapterTestOptions,
  RandomOptions,
  TestedService,
  TestRunner,
  ValueKind
} from './adapters/types.ts'
