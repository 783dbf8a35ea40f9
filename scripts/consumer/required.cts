// The same package from CommonJS, which Node loads with `require` since 20.19.
import alula = require('alula')
import express = require('alula/express')

const app: express.Application = express.express(alula.alula())

app.configure(express.rest())

export = app
