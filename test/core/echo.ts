export const echo = {
  find: async () => [{ found: true }],
  get: async (id: unknown) => ({ id }),
  create: async (data: unknown) => data,
  update: async (_id: unknown, data: unknown) => data,
  patch: async (_id: unknown, data: unknown) => data,
  remove: async (id: unknown) => ({ id }),
  greet: async (data: unknown) => data
}
