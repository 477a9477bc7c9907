#!/usr/bin/env node
import { main, startFolder } from './main.ts'

const folder = startFolder(process.env, process.cwd())
if (folder !== process.cwd()) process.chdir(folder)
process.exitCode = await main(process.argv.slice(2), process)
