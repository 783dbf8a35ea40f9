import type ts from 'typescript'

export declare function readSources(root?: string): ts.SourceFile[]
export declare function parseSource(path: string, text: string): ts.SourceFile
export declare function listFiles(root?: string): string[]
export declare function visitNodes(source: ts.SourceFile, visit: (node: ts.Node) => void): void
