export {
  createTestClient,
  type LoginOptions,
  loginAs,
  type TestClient,
  type TestRequest,
  type TestUser
} from './client.ts'
export { type ContractOptions, contractTests } from './contract.ts'
export { type ProofOptions, proveExposure } from './exposure.ts'
