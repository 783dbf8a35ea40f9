export {
  createTestClient,
  type LoginOptions,
  loginAs,
  type TestClient,
  type TestRequest,
  type TestUser
} from './client.ts'
export { type ContractOptions, contractTests } from './contract.ts'
export type { Coverage, CoverageRow, Log } from './coverage.ts'
export { type ProofData, type ProofMaker, type ProofOptions, proveExposure } from './exposure.ts'
