// alula and Feathers have the same API, so they are called in the same way.

/** The options that both take. */
export function toOptions(records) {
  return {
    store: Object.fromEntries(records.map((record) => [record.id, record])),
    startId: records.length + 1,
    paginate: { default: 10, max: 100 },
    multi: true
  }
}

/** A service as a store; what is called are its public methods. */
export function toStore(service) {
  return {
    get: (id) => service.get(id),
    find: (query) => service.find({ query }),
    create: (data) => service.create(data),
    createMany: (records) => service.create(records),
    patch: (id, data) => service.patch(id, data),
    patchRoom: (room, data) => service.patch(null, data, { query: { room } }),
    remove: (id) => service.remove(id),
    removeRoom: (room) => service.remove(null, { query: { room } })
  }
}
