import { createError } from '../utils/developer-error.ts'
import { stripSlashes } from '../utils/path.ts'

/** What a path leads to: what was inserted, and the segments that stood for its placeholders. */
export interface RouteMatch<T> {
  readonly data: T
  readonly params: Record<string, string>
}

/** A segment in the tree of paths. Branches are maps: a segment from outside may have any name. */
class RouteNode<T> {
  data: T | undefined = undefined
  readonly children = new Map<string, RouteNode<T>>()
  readonly placeholders = new Map<string, RouteNode<T>>()

  get isEmpty(): boolean {
    return this.data === undefined && this.children.size === 0 && this.placeholders.size === 0
  }
}

/** What an application promises of its {@link Router}: what that of Feathers v5 has too. */
export interface RouteTable<T> {
  caseSensitive: boolean
  insert(path: string, data: T): unknown
  remove(path: string): unknown
  lookup(path: string): { data?: T; params: { [name: string]: string } } | null
}

/**
 * Finds what was inserted under a path. Static segments win over placeholders; placeholders of one level are
 * tried in the order in which they were inserted. Segments are compared and returned as they came: decoding is
 * the business of the transport, and a static segment that comes encoded is another segment.
 */
export class Router<T = any> {
  /** When `false`, static segments match in any case. Set it before inserting. */
  caseSensitive = true

  private readonly root = new RouteNode<T>()

  /**
   * @param path Segments separated by slashes; one that begins with `:` is a placeholder
   * @param data What `lookup` returns for it
   * @throws Error when the path is taken
   */
  insert(path: string, data: T): void {
    let node = this.root

    for (const segment of split(path)) {
      const { branch, key } = this.locate(node, segment)
      const next: RouteNode<T> = branch.get(key) ?? new RouteNode()

      branch.set(key, next)
      node = next
    }

    if (node.data !== undefined)
      throw createError('ALULA_PATH_TAKEN', `Path ${stripSlashes(path)} already exists`)

    node.data = data
  }

  /** Returns what was inserted under exactly this path, placeholders by name. */
  get(path: string): T | undefined {
    let node: RouteNode<T> | undefined = this.root

    for (const segment of split(path)) {
      const { branch, key }: ReturnType<typeof this.locate> = this.locate(node, segment)

      node = branch.get(key)
      if (!node) return undefined
    }

    return node.data
  }

  /** Returns all that was inserted under this path, whatever the names of its placeholders are. */
  getAll(path: string): T[] {
    let nodes: readonly RouteNode<T>[] = [this.root]

    for (const segment of split(path)) {
      nodes = nodes.flatMap((node) => {
        if (segment.startsWith(':')) return [...node.placeholders.values()]

        return node.children.get(this.fold(segment)) ?? []
      })
    }

    return nodes.flatMap(({ data }) => (data === undefined ? [] : [data]))
  }

  /** Removes what was inserted under a path. Longer paths stay, and the path can be inserted again. */
  remove(path: string): void {
    this.removeFrom(this.root, split(path), 0)
  }

  /** Returns what a path leads to, or `null`. */
  lookup(path: unknown): RouteMatch<T> | null {
    if (typeof path !== 'string') return null

    const params: Record<string, string> = {}
    const data = this.find(this.root, stripSlashes(path), 0, params)

    return data === undefined ? null : { data, params }
  }

  /** By position: a list of the segments takes longer than to find their nodes. */
  private find(
    node: RouteNode<T>,
    path: string,
    start: number,
    params: Record<string, string>
  ): T | undefined {
    if (start > path.length) return node.data

    const slash = path.indexOf('/', start)
    const end = slash === -1 ? path.length : slash
    const segment = path.slice(start, end)
    const child = node.children.get(this.fold(segment))
    const data = child && this.find(child, path, end + 1, params)

    // An empty segment stands for nothing: in `users//messages` there is no user.
    if (data !== undefined || segment === '') return data

    for (const [name, placeholder] of node.placeholders) {
      const data = this.find(placeholder, path, end + 1, params)

      if (data !== undefined) {
        params[name] = segment
        return data
      }
    }

    return undefined
  }

  private removeFrom(node: RouteNode<T>, segments: readonly string[], depth: number): void {
    const segment = segments[depth]

    if (segment === undefined) {
      node.data = undefined
      return
    }

    const { branch, key } = this.locate(node, segment)
    const child = branch.get(key)

    if (!child) return

    this.removeFrom(child, segments, depth + 1)
    if (child.isEmpty) branch.delete(key)
  }

  /** Where the node of a segment of a registered path is kept. */
  private locate(node: RouteNode<T>, segment: string): { branch: Map<string, RouteNode<T>>; key: string } {
    return segment.startsWith(':')
      ? { branch: node.placeholders, key: segment.slice(1) }
      : { branch: node.children, key: this.fold(segment) }
  }

  private fold(segment: string): string {
    return this.caseSensitive ? segment : segment.toLowerCase()
  }
}

function split(path: string): string[] {
  return stripSlashes(path).split('/')
}
