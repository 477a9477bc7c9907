/** Only for packages in this repository: these names change without notice. */
export { type CopiedDocument, copyIn, copyOut } from './copy/copy.ts'
export { isPostgresUrl } from './database/open-pool.ts'
