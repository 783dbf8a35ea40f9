const BASE64 = /^[A-Za-z\d+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/

/** Whether a string is base64 (RFC 4648, section 4), with its padding, so that no other string has the same bytes. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text)
}
