/**
 * The field of `_meta` in which an MCP call says how many runs there are around it. If the server is Argot, it counts
 * them as agents, so that runs that call each other through servers come to an end.
 */
export const depthKey = 'argot/depth'
