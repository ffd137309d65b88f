// A developer's keys must neither reach a test nor change what it does.
for (const name of Object.keys(process.env)) {
  if (/^(OPENAI|ANTHROPIC)_/.test(name) || name === 'TROUPE_MODEL') delete process.env[name];
}
