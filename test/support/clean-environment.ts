// A developer's keys must neither reach a test nor change what it does; npm's own variables, of which there are more than of all others,
// are read by each run that looks for secrets.
for (const name of Object.keys(process.env)) {
  if (/^(OPENAI|ANTHROPIC|npm)_/.test(name) || name === 'TROUPE_MODEL') delete process.env[name];
}
