import { expect, it } from 'vitest'
import { tokenize, toStringValue } from '../../src/migrate/lexer.ts'

/** The texts of all strings that are found, which is what the search for modules sees. */
function strings(source: string, jsx = false): (string | undefined)[] {
  return tokenize(source, { jsx })
    .map((token) => toStringValue(token))
    .filter((value) => value !== undefined)
}

it.each([
  ['line comments', `// 'no'\n'yes'`],
  ['comments of several lines', `/* 'no'\n 'no' */ 'yes' /* 'no' */`],
  ['a comment without an end', `'yes' /* 'no'`],
  ['a hashbang', `#!/usr/bin/env 'no'\n'yes'`],
  ['regular expressions', `const a = /'no'/; f(/["']no['"]/g); 'yes'`],
  ['classes in regular expressions', `a = /[/'"]/ ; 'yes'`],
  ['a regular expression behind a condition', `if (a) /'no'/.test(b); 'yes'`],
  ['a regular expression behind a block', `if (a) {}\n/'no'/.test(b); 'yes'`],
  ['a regular expression behind return', `return /'no'/ + 'yes'`],
  ['division', `a = b / 2 + 'yes' / c; d = (a) / 1`],
  ['division behind an object', `a = { b } / 2 + 'yes' / 3`],
  ['division behind an increment', `a++ / 2 + 'yes' / 3`],
  ['a member that is called like a word', `a.return / 2 + 'yes' / 3`],
  ['quotes in quotes', `"'yes'".x`],
  ['a text without an end', `it's\n'yes'`],
  ['escapes', `'n\\'o' + 'yes'`],
  ['a text over two lines', `'n\\\no' + 'yes'`],
  ['types with angle brackets', `const a: Map<string, 'yes'> = b as <T>(c: T) => d`],
  ['private names and decorators', `class A { @b() #c = 'yes' / 2 }`],
  ['numbers', `a = 1_000n / .5 + 0x1f / 2 + 'yes'`]
])('%s are told from strings', (_, source) => {
  expect(strings(source).map((value) => value?.replaceAll("'", ''))).toEqual(['yes'])
})

it('a template is one string, unless it has expressions', () => {
  expect(strings(`\`a\` + \`b\${c}d\` + \`e\\n\``)).toEqual(['a'])
})

it('expressions in templates are code, at any depth', () => {
  const source = `\`no \${f('a', \`no \${{ b: 'b' }.b} 'no'\`)} 'no' \${'c'}\` + 'd'`

  expect(strings(source)).toEqual(['a', 'b', 'c', 'd'])
})

it.each([
  ['text between tags', `a = <p>Don't say "no" 'no'</p>; 'yes'`],
  ['attributes', `a = <p title='no' class="no">no</p>; 'yes'`],
  ['fragments and elements in elements', `a = <><b.c>it's</b.c><br/>'no'</>; 'yes'`],
  ['expressions in elements', `a = <p {...b} c={'yes'}>'no' {/* 'no' */}</p>`],
  ['elements in expressions', `a = <ul>{b.map((c) => <li key={c}>'no'{'yes'}</li>)}</ul>`],
  ['an element as an attribute', `a = <p b=<i>'no'</i>>it's</p>; 'yes'`],
  ['a comparison', `if (a < b && c > d) 'yes'`],
  ['type parameters', `const a = <T,>(b: T) => 'yes'; const c = <T extends D>(e: T) => f`],
  ['an element that does not end', `a = <p>{'yes'}`],
  ['an element that another one ends', `a = <b>'yes'</c>`],
  ['text in an element that does not end', `a = <p>'yes'`],
  ['text in front of an expression that does not end', `a = <p>'yes'{b`],
  ['text behind an expression that another bracket closes', `a = <p>{b)'yes'</p>`],
  ['a regular expression behind another expression', `a = <p b={c}>{d}{/'no'/}</p>; 'yes'`],
  ['a comparison that looks like an element', `a = b <c> ('yes') </c>/.d`]
])('JSX: %s', (_, source) => {
  expect(strings(source, true)).toEqual(['yes'])
})

it('what begins like an element and is none leaves no token out', () => {
  const tokens = tokenize('a = <p>{', { jsx: true })

  expect(tokens.map(({ text }) => text)).toEqual(['a', '=', '<', 'p', '>', '{'])
})

it('whatever is broken still ends', () => {
  for (const source of [
    '}',
    ')]}',
    '`${',
    '`${`',
    '<',
    'a = <',
    'a = <p',
    "'",
    '/',
    '/[',
    '{',
    '\\',
    '\u0000'
  ]) {
    const tokens = tokenize(source, { jsx: true })

    expect(tokens.map(({ text }) => text).join('').length, source).toBeLessThanOrEqual(source.length)
  }
})
