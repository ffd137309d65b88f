/**
 * Asks the registry for known vulnerabilities of what users install: dependencies and peers, as they are locked. Some mirrors answer no such
 * question, which is printed and no failure.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

interface Answer {
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
}

const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: resolve(import.meta.dirname, '..'),
  encoding: 'utf8',
});

const countsIn = (text: string): Readonly<Record<string, number>> | undefined => {
  try {
    return (JSON.parse(text) as Answer).metadata?.vulnerabilities;
  } catch {
    return undefined;
  }
};

const counts = countsIn(stdout);
if (counts === undefined)
  console.log(`Not checked, as the registry answers no advisories: ${stderr.split('\n')[0]}`);
else if ((counts['total'] ?? 0) > 0) {
  console.error(stdout);
  process.exit(1);
} else console.log('No known vulnerabilities.');
