export const SECRET = 'a secret for the programs of the documents'

/** Imports of files that a page tells of. */
export const LOCAL_IMPORT = /^import [^']+ from '\..+'$/gm
