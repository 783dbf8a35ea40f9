import { expect, it } from 'vitest'
import { tokenize, toStringValue } from '../src/lexer.ts'

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

it.each([
  ['a $b _c d1 é #e', ['name a', 'name $b', 'name _c', 'name d1', 'name é', 'name #e']],
  ['a\u200cb\u200dc$', ['name a\u200cb\u200dc$']],
  ['1 .5 2.5 1_000n 0x1f', ['number 1', 'number .5', 'number 2.5', 'number 1_000n', 'number 0x1f']],
  [`'a' "b" 'c"' "d'"`, [`string 'a'`, `string "b"`, `string 'c"'`, `string "d'"`]],
  [`'\\'' "\\"" '\\\r\n'`, [`string '\\''`, `string "\\""`, `string '\\\r\n'`]],
  [`'\\\n' "\\\n"`, [`string '\\\n'`, `string "\\\n"`]],
  ['`\\\n`', ['template `\\\n`']],
  [`'a\nb'`, [`punctuation '`, 'name a', 'name b', `punctuation '`]],
  [`"a\r"`, ['punctuation "', 'name a', 'punctuation "']],
  ['/a/ /b/', ['regex /a/', 'punctuation /', 'name b', 'punctuation /']],
  ['/[/]\\/[\\]/]/gi', ['regex /[/]\\/[\\]/]/gi']],
  ['/a\n/', ['punctuation /', 'name a', 'punctuation /']],
  [
    '= /[a\n]/',
    ['punctuation =', 'punctuation /', 'punctuation [', 'name a', 'punctuation ]', 'punctuation /']
  ],
  ['=> ++ -- ?. ...', ['=>', '++', '--', '?.', '...'].map((text) => `punctuation ${text}`)],
  ['a?.5:b', ['name a', 'punctuation ?', 'number .5', 'punctuation :', 'name b']],
  ['a?.b', ['name a', 'punctuation ?.', 'name b']],
  ['😀', ['punctuation 😀']],
  ['`a` `b\\`c`', ['template `a`', 'template `b\\`c`']],
  ['`$ $$ {`', ['template `$ $$ {`']],
  [`\`a\${b}c\${d}\``, ['template `a${', 'name b', 'template }c${', 'name d', 'template }`']],
  [`\`a\${{}}\``, ['template `a${', 'punctuation {', 'punctuation }', 'template }`']],
  ['a // b\nc /* d */ e /**/ f /* g * / */', ['name a', 'name c', 'name e', 'name f']],
  ['\uFEFF#!a b\nc', ['name c']],
  ['a\n#!b', ['name a', 'name #', 'punctuation !', 'name b']]
])('%j is read as %j', (source, expected) => {
  const tokens = tokenize(source)

  expect(tokens.map(({ kind, text }) => `${kind} ${text}`)).toEqual(expected)
  for (const { text, start, end } of tokens) expect(source.slice(start, end)).toBe(text)
})

it.each(
  'await case default delete do else extends in instanceof new of return throw typeof void yield'.split(' ')
)('a regular expression may follow %s, and not a member of that name', (word) => {
  expect(strings(`${word} /'no'/; 'yes'`)).toEqual(['yes'])
  expect(strings(`a.${word} / 2 + 'yes' / 3`)).toEqual(['yes'])
  expect(strings(`a?.${word} / 2 + 'yes' / 3`)).toEqual(['yes'])
})

it.each([
  ...['for', 'if', 'while', 'with'].map((word) => `${word} (a)`),
  ...['=', '(', '[', ',', ';', '{', '+', '!', '&&', '?', 'a:', '=>', '++', '', '}'],
  ...['{ }', '; { }', '{ { }', '{ } { }', ') { }', '=> { }', 'else { }', 'do { }', 'a = `${']
])('%s is followed by an expression', (before) => {
  expect(strings(`${before} /'no'/`)).toEqual([])
})

it.each([
  ...['a', 'a.if (b)', 'f (a)', '(a)', '[a]', 'a[b]', '1', "''", '/a/', '`a`', `\`\${a}\``, 'a++', 'a--'],
  ...['= { }', '({ })', ', { }', 'return { }', '[{ }]', `\`\${{ }`]
])('%s is followed by an operator', (before) => {
  expect(strings(`${before} / 2 + 'yes' / 3`).at(-1)).toBe('yes')
})

it.each([
  ["'a'", 'a'],
  ['"a"', 'a'],
  ['``', ''],
  ["''", ''],
  ["'\\a'", undefined],
  [`\`\${a}\``, undefined],
  ['a', undefined],
  ['1', undefined]
])('%s is the string %j', (source, value) => {
  expect(toStringValue(tokenize(source)[0])).toBe(value)
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
  ['names with dots, colons and dashes', `a = <b.c:d-e f:g-h='no'>it's</b.c:d-e>; 'yes'`],
  ['white space and comments in a tag', `a = <p /* ' */ b = 'no' c\n= {d} e = <i/> >it's</p >; 'yes'`],
  ['an attribute without a value', `a = <p b/>; 'yes'`],
  ['an attribute that is no value', `a = <p b=c>'yes'`],
  ['an attribute without a name', `a = <p = 'yes'`],
  ['a fragment with attributes', `a = < b='yes'>`],
  ['a fragment that closes itself', `a = </>'yes'`],
  ['a fragment that an element ends', `a = <>'yes'</b>`],
  ['an expression that does not end', `a = <p b={'yes'`],
  ['an attribute whose element does not end', `a = <p b=<i>'yes'`],
  ['an element behind an operator word', `return <p>it's</p>; 'yes'`],
  ['division behind an element', `a = <p/> / 2 + 'yes' / 3`],
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
