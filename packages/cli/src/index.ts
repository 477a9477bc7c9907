export { type Io, main } from './main.ts'
