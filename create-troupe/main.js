#!/usr/bin/env node
// `npm create troupe FOLDER` is `troupe new FOLDER`, where troupe is not installed yet.
const manifest = import.meta.resolve('troupe/package.json');
process.argv.splice(2, 0, 'new');
await import(new URL('dist/cli/main.js', manifest).href);
