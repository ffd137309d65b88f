/**
 * Draws the pictures of the guide: charts out of the machines, between `<!-- chart:NAME -->` and `<!-- chart:end -->`, and the compositions of
 * teams likewise (`composition:`).
 *
 *   tsx scripts/readme.ts            fails when a page shows something else
 *   tsx scripts/readme.ts --update   draws them anew
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyStateMachine } from 'xstate';
import type { Agent } from '../src/contracts/agents/agent.ts';
import * as house from '../src/patterns/house.ts';
import { agentMachine } from '../src/machines/agent/agent-machine.ts';
import { breakerMachine } from '../src/machines/resources/breaker-machine.ts';
import { toMermaid } from '../src/machines/diagrams/diagram.ts';
import { leaseMachine } from '../src/machines/resources/lease-machine.ts';
import { modelCallMachine } from '../src/machines/model-call/model-call-machine.ts';
import { toolCallMachine } from '../src/machines/tool-call/tool-call-machine.ts';
import { readerPages } from './pages.ts';
import { sampleTeams } from './sample-teams.ts';

const root = resolve(import.meta.dirname, '..');
const BLOCK = /(<!-- (chart|composition):([\w-]+) -->\n\n```mermaid\n)[\s\S]*?(```\n\n<!-- \2:end -->)/g;

/** The name of a pattern's page and picture. */
const fileOf = (pattern: string): string =>
  pattern.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The machines that a page may show, by the names of their files in `docs/diagrams`. */
export const machines: Readonly<Record<string, () => AnyStateMachine>> = {
  agent: () => agentMachine,
  'model-call': () => modelCallMachine,
  'tool-call': () => toolCallMachine,
  breaker: () => breakerMachine,
  lease: () => leaseMachine,
  ...Object.fromEntries(Object.entries(house).map(([name, { machine }]) => [fileOf(name), machine])),
};

/** The phases, and the arrows that begin in them: of the agent's chart, what lies within `running`. */
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

/** A chart without the arrows that are in every chart of a team: an abort, a limit and a failure end it from anywhere. */
const shown = (name: string, page: string): string => {
  if (name === 'phases') return phases();
  const machine = machines[name];
  if (machine === undefined)
    throw new Error(`Cannot draw a chart in ${page} as there is none called ${name}`);
  const everywhere = /--> \w+ : (?:abort|expired\.\*|failed\.\*)$/;
  return toMermaid(machine(), { descriptions: 'none' })
    .split('\n')
    .filter((line) => !everywhere.test(line))
    .join('\n');
};

/** The teams that a page may show, by the names of their files. */
export const teams: Readonly<Record<string, Pick<Agent, 'diagram'>>> = Object.fromEntries(
  Object.entries(sampleTeams).map(([name, team]) => [fileOf(name), team]),
);

/** Who is in a team, and how work flows between them. */
const composed = (name: string, page: string): string => {
  const team = teams[name];
  if (team === undefined) throw new Error(`Cannot draw a team in ${page} as there is none called ${name}`);
  return team.diagram({ of: 'composition' });
};

/** A page as it has to be. */
export const charted = (text: string, page: string): string =>
  text.replaceAll(
    BLOCK,
    (_, begin: string, subject: string, name: string, end: string) =>
      `${begin}${subject === 'chart' ? shown(name, page) : composed(name, page)}${end}`,
  );

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const page of readerPages()) {
    const text = readFileSync(join(root, page), 'utf8');
    const wanted = charted(text, page);
    if (process.argv.includes('--update')) writeFileSync(join(root, page), wanted);
    else if (text !== wanted) {
      console.error(
        `${page} shows another machine than there is. Run \`npx tsx scripts/readme.ts --update\`.`,
      );
      process.exitCode = 1;
    }
  }
}
