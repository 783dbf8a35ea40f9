import { alula } from 'alula'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { FileService } from './file-service.js'
import { RecordFile } from './record-file.js'

const { FILE = 'messages.jsonl', PORT = 3030 } = process.env
const app = express(alula())

app.configure(rest())

app.use(
  'messages',
  new FileService({
    file: await RecordFile.open(FILE),
    paginate: { default: 10, max: 50 },
    multi: ['create']
  })
)

app.use(notFound())
app.use(errorHandler())

const server = await app.listen(Number(PORT))

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => app.teardown())
}

console.log(`alula is listening on http://localhost:${server.address().port} and writes to ${FILE}`)
