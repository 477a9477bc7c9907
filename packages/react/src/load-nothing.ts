// In a browser a part is loaded when it is first needed. See load-all.ts for everywhere else.
export {}
