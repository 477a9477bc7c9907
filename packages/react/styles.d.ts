/** The style sheet, imported for its effect. */
export {}
