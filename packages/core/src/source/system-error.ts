const explanations: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'There is no such file'],
  ['EISDIR', 'This is a folder, not a file'],
  ['ENOTDIR', 'A part of this path is not a folder'],
  ['EACCES', 'Permission denied'],
  ['EPERM', 'Permission denied'],
  ['EROFS', 'The disk is read-only'],
  ['ENOSPC', 'The disk is full'],
  ['EDQUOT', 'The disk quota is used up'],
  ['EFBIG', 'The file is too large'],
  ['EEXIST', 'Something with this name already exists'],
  ['ELOOP', 'The symbolic links form a loop'],
  ['ENAMETOOLONG', 'The name is too long'],
  ['EMFILE', 'Too many files are open'],
  ['ENFILE', 'Too many files are open'],
  ['EBUSY', 'It is in use'],
  ['EIO', 'The disk cannot be read or written'],
  ['ENOTEMPTY', 'The folder is not empty'],
  ['EPIPE', 'The reader closed the pipe'],
])

/** Node reports ENOENT for a folder that can't be created in a read-only place, although nothing is missing. */
const folderMessage = 'This folder cannot be created; the disk may be read-only'

function isFolderFailure(error: Error & { syscall: unknown; code: unknown }): boolean {
  return error.syscall === 'mkdir' && error.code === 'ENOENT'
}

export function describeSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined
  const explanation = isFolderFailure(error) ? folderMessage : explanations.get(String(error.code))
  if (explanation === undefined) return undefined
  return 'path' in error && typeof error.path === 'string' ? `${explanation}: ${error.path}` : `${explanation}.`
}
