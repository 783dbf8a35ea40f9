// What the build writes for elements and for fragments.
export { Fragment, h } from 'preact'
