export {
  createTestClient,
  type LoginOptions,
  loginAs,
  type TestClient,
  type TestRequest,
  type TestUser
} from './testing/client.ts'
export { type ContractOptions, contractTests } from './testing/contract.ts'
export { type ProofOptions, proveExposure } from './testing/exposure.ts'
