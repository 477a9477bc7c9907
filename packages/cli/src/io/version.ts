/** The command's version. A test keeps it equal to the package's. */
export const version = '0.1.0'
