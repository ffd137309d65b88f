/**
 * Draws the six phases into the README, out of the diagram of the agent machine.
 *
 *   tsx scripts/readme.ts            fails when the README shows something else
 *   tsx scripts/readme.ts --update   draws them anew
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agentMachine } from '../src/machines/agent-machine.ts';
import { toMermaid } from '../src/machines/diagram.ts';

const readme = resolve(import.meta.dirname, '../README.md');
const BLOCK = /(?<=<!-- phases:begin -->\n\n```mermaid\n)[\s\S]*?(?=```\n\n<!-- phases:end -->)/;

/** The phases, and the arrows that begin in them: of the whole chart, what lies within `running`. */
const phases = (): string => {
  const [head = '', , direction = '', ...lines] = toMermaid(agentMachine, { descriptions: 'none' }).split(
    '\n',
  );
  const begin = lines.indexOf('  state running {');
  const end = lines.indexOf('  }', begin);
  const within = lines.slice(begin + 1, end).map((line) => line.slice(2));
  const states = new Set(within.flatMap((line) => /^ +state (\w+)/.exec(line)?.[1] ?? []));
  const leaving = lines.slice(end).filter((line) => states.has(/^ +(\w+) -->/.exec(line)?.[1] ?? ''));
  return [head, direction, ...within, ...leaving, ''].join('\n');
};

/** The README as it has to be. */
export const withPhases = (text: string): string => text.replace(BLOCK, phases());

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = readFileSync(readme, 'utf8');
  const wanted = withPhases(text);
  if (process.argv.includes('--update')) writeFileSync(readme, wanted);
  else if (text !== wanted) {
    console.error('README.md shows another machine than there is. Run `npx tsx scripts/readme.ts --update`.');
    process.exitCode = 1;
  }
}
