import { ArgotError } from '@argot/core'

/** Loads the package of a provider when a model of it is wanted. Throws `MODEL_MISSING_PACKAGE` where it is not installed. */
export async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    if (code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(name)) {
      throw new ArgotError(
        'MODEL_MISSING_PACKAGE',
        `This model needs the package ${name}, which is not installed. Install it with: npm install ${name}`,
        { cause: error },
      )
    }
    throw error
  }
}
