import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const NO_TRACING = { LANGSMITH_TRACING: 'false', LANGCHAIN_TRACING_V2: 'false' };

/** Runs one part in a fresh process and gives what it told. */
export const work = (part, options, { dist, node = process.execPath }) => {
  const script = join(import.meta.dirname, 'parts', `${part}.mjs`);
  const args = [script, ...Object.entries(options).map(([name, value]) => `${name}=${value}`)];
  const env = { ...process.env, ...NO_TRACING, TROUPE_DIST: dist };
  const { stdout, stderr, status } = spawnSync(node, args, { encoding: 'utf8', env, maxBuffer: 1 << 26 });
  if (status === 0) return JSON.parse(stdout.trim().split('\n').at(-1));
  throw new Error(`Cannot measure '${args.slice(1).join(' ')}' as it failed: ${stderr.trim().slice(-800)}`);
};
