/** The name of the tool by which a model asks the person a question. The page answers it. */
export const questionTool = 'ask_user'
