import react from '@vitejs/plugin-react'
import { defineConfig, loadEnv } from 'vite'

const { PORT = '3030' } = loadEnv('development', process.cwd(), 'PORT')
const api = `http://localhost:${PORT}`

export default defineConfig({
  root: 'web',
  plugins: [react()],
  build: { outDir: '../dist/web', emptyOutDir: true },
  // The page and the API have one origin, as in production.
  server: { proxy: { '/api': api, '/socket.io': { target: api, ws: true } } }
})
