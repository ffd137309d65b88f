import type { Agent } from '../contracts/agents/agent.ts';
import type { ChartCoverage } from '../inspect/coverage/chart-coverage.ts';
import { toMermaid } from '../machines/diagrams/diagram.ts';
import { journaledDefinition } from '../runtime/journal/resume/resume.ts';
import { compositionOf } from '../runtime/define/composition.ts';
import { chartRemark } from '../runtime/turn/mover.ts';
import type { GraphCommand } from './usage/commands.ts';
import { exitCode } from './exit-code.ts';
import { loadAgent } from './load-agent.ts';
import { several } from '../base/text/number-words.ts';
import type { Session } from './session.ts';
import { withStore } from './stored/open-store.ts';
import { jsonLine } from './stored/run-words.ts';

/** `troupe graph`: prints who is in an agent, a team or a workflow, or its statechart and how its runs went through it. */
export const graph = async (wanted: GraphCommand, session: Session): Promise<number> => {
  const { terminal, settings } = session;
  const agent = await loadAgent(wanted.file, terminal.folder, wanted.exportName);
  if (!wanted.isSvg && !wanted.isTaken && !settings.json) {
    terminal.stdout.write(`${agent.diagram({ of: wanted.of }).trimEnd()}\n`);
    return exitCode.answered;
  }
  const definition = journaledDefinition(agent);
  if (settings.json && !wanted.isTaken) {
    const drawn =
      wanted.of === 'composition'
        ? compositionOf(definition)
        : (await import('../inspect/recording/chart-shape.ts')).chartShape(definition.machine);
    terminal.stdout.write(jsonLine(drawn));
    return exitCode.answered;
  }
  if (wanted.of === 'composition') {
    const { compositionSvg } = await import('../inspect/drawing/composition-svg.ts');
    terminal.stdout.write(compositionSvg(compositionOf(definition)));
    return exitCode.answered;
  }
  const { machine } = definition;
  const overlay = wanted.isTaken ? await waysOf(agent, wanted.limit, session) : undefined;
  if (overlay !== undefined && settings.json) {
    const { actors, taken, visits, dwellMs, neverTaken } = overlay;
    const [byArrow, byState] = [Object.fromEntries(taken), Object.fromEntries(dwellMs)];
    terminal.stdout.write(
      jsonLine({ actors, taken: byArrow, visits: Object.fromEntries(visits), dwellMs: byState, neverTaken }),
    );
  } else if (wanted.isSvg) {
    const { chartSvg } = await import('../inspect/drawing/chart-svg.ts');
    terminal.stdout.write(chartSvg(machine, overlay));
  } else
    terminal.stdout.write(`${toMermaid(machine, { overlay, remark: chartRemark(machine) }).trimEnd()}\n`);
  return exitCode.answered;
};

/** Computes how an agent's stored runs went through its chart. */
const waysOf = (agent: Agent<unknown, unknown>, limit: number, session: Session): Promise<ChartCoverage> =>
  withStore(session, async ({ store }) => {
    const { recordedWays } = await import('./coverage/recorded-ways.ts');
    const { chartCoverage } = await import('../inspect/coverage/chart-coverage.ts');
    const { recordings, left } = await recordedWays(agent, store, limit);
    const { terminal, settings, sidePaint: paint } = session;
    if (!settings.quiet && !settings.json)
      terminal.stderr.write(
        `${paint.dim(`${several(recordings.length, 'run')} of ${agent.name}${left.length === 0 ? '' : `, ${left.length} left out`}`)}\n`,
      );
    return chartCoverage(recordings, { name: agent.name });
  });
