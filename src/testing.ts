export {
  createTestClient,
  loginAs,
  type TestClient,
  type TestRequest,
  type TestUser
} from './testing/client.ts'
