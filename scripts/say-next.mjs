// What `npm start` ends with: the next steps.
process.stderr.write(`
That was an example conversation, written by hand. Next, with the demo model and without a key:

  npm run -s argot -- init /tmp/argot-try
  npm run -s argot -- run /tmp/argot-try/chat.chatmd
  npm run -s argot -- ask "What is in this folder?" --tools read_dir

For a real model: npm run -s argot -- models. More: docs/getting-started.md
`)
