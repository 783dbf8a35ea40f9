import { open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Records by key: in memory for reading, in a file for keeping. A line of the file is the list of changes of one
 * write, `[[key, record], [key, null]]`, so a write is in the file as a whole or not at all.
 */
export class RecordFile {
  records = new Map()
  length = 0
  lastWrite = Promise.resolve()

  /** Opens a file, which need not exist. Only one process at a time may do so. */
  static async open(path) {
    const file = new RecordFile()
    const text = await readFile(path, { encoding: 'utf8', flag: 'a+' })

    // After the last line end is a line that a crash left incomplete. Its write got no response.
    for (const line of text.split('\n').slice(0, -1)) file.apply(`${line}\n`)
    file.handle = await open(path, 'a')

    const folder = await open(dirname(path))
    await folder.sync()
    await folder.close()

    return file
  }

  /**
   * Writes the list of changes that `decide` makes of the records, one write after another. Resolves when the disk
   * has it: to the records as they are now, or as they were if they are gone.
   */
  write(decide) {
    const write = this.lastWrite.then(async () => {
      const line = `${JSON.stringify(decide(this.records))}\n`

      // A crash, or a write that failed, may have left a part of its line.
      await this.handle.truncate(this.length)
      await this.handle.appendFile(line)
      await this.handle.datasync()
      return this.apply(line)
    })

    this.lastWrite = write.catch(() => {})
    return write
  }

  apply(line) {
    this.length += Buffer.byteLength(line)
    return JSON.parse(line).map(([key, record]) => {
      const previous = this.records.get(key)
      if (record === null) this.records.delete(key)
      else this.records.set(key, record)

      return record ?? previous
    })
  }

  close() {
    return this.lastWrite.then(() => this.handle.close())
  }
}
