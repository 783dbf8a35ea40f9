/** Real-time connections by the token that they live by, so that they can end with it. */
export class Sessions<Connection extends object = any> {
  private readonly connections = new Map<string, Set<Connection>>()
  private readonly tokens = new WeakMap<Connection, string>()

  /** The ids of the tokens that connections live by. */
  get tokenIds(): string[] {
    return [...this.connections.keys()]
  }

  /** The connections that live by a token. */
  get(tokenId: string): Connection[] {
    return [...(this.connections.get(tokenId) ?? [])]
  }

  /** Notes what a connection lives by from now on. */
  add(connection: Connection, tokenId: string): void {
    this.delete(connection)
    this.tokens.set(connection, tokenId)

    const others = this.connections.get(tokenId)

    if (others) others.add(connection)
    else this.connections.set(tokenId, new Set([connection]))
  }

  /** Forgets a connection. */
  delete(connection: Connection): void {
    const tokenId = this.tokens.get(connection)

    if (tokenId === undefined) return

    const others = this.connections.get(tokenId)

    this.tokens.delete(connection)
    others?.delete(connection)
    if (others?.size === 0) this.connections.delete(tokenId)
  }
}
