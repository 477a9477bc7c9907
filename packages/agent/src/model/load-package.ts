import { ArgotError } from '@argot/core'

/** Loads a provider's package on demand. Throws `MODEL_MISSING_PACKAGE` if it isn't installed. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    if (code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(name)) {
      throw new ArgotError(
        'MODEL_MISSING_PACKAGE',
        `This model needs the ${name} package, which isn't installed. Install it with: npm install ${name}`,
        { cause: error },
      )
    }
    throw error
  }
}
