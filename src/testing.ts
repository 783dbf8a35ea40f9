export {
  createTestClient,
  type LoginOptions,
  loginAs,
  type TestClient,
  type TestRequest,
  type TestUser
} from './testing/client.ts'
