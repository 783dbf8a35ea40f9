/** A page that shows the document, which is at `../openapi.json` from it. */
export interface DocumentPage {
  /**
   * Whether a file is the same for every application: those that a rule refuses get it too, so that they can log in. `file` is
   * the path after that of the page: empty for the page itself.
   */
  isOpen?(file: string): boolean

  /** Reads one of its files; `undefined` where there is no such file. */
  read(file: string, request: Request): Promise<Response | undefined>
}
