import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A developer's keys must neither reach a test nor change what it does; npm's own variables, of which there are more than of all others,
// are read by each run that looks for secrets.
for (const name of Object.keys(process.env)) {
  if (/^(OPENAI|ANTHROPIC|npm)_/.test(name) || name === 'TROUPE_MODEL') delete process.env[name];
}

// Inspectors of other processes, of other tests or of who runs them, are not found from here, and find nothing here.
const OWN = 'troupe-test-runtime-';
if (process.env['XDG_RUNTIME_DIR']?.includes(OWN) !== true) {
  const folder = mkdtempSync(join(tmpdir(), OWN));
  process.env['XDG_RUNTIME_DIR'] = folder;
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
}
