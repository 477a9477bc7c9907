/** Only for the packages in this repository: names here change without notice. */
export { type CopiedDocument, copyIn, copyOut } from './copy/copy.ts'
export { isPostgresUrl } from './database/open-pool.ts'
