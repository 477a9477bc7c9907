// In a browser, a part is loaded when first needed. See load-all.ts for everywhere else.
export {}
