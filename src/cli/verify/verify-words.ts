import { several, withThousands } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { Audit } from '../../testing/verify/audit-runs.ts';
import type { Counterexample, Proof, Story } from '../../testing/verify/proof.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import { dollars } from '../words/ending.ts';

/** Characters of a line, before it is wrapped. */
const LONGEST = 400;

/** The lines that a person reads of a proof. */
export const linesOfProof = (proof: Proof, session: Session): readonly string[] => {
  const { terminal, paint } = session;
  const { properties, violations, states, transitions, depth, isComplete, bounds, deadEnds, livelocks } =
    proof;
  const width = widthOf(terminal.stdout);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  return [
    ...(properties.length === 0
      ? [`${paint.yellow('!')} No property: the module exports no \`properties\``]
      : []),
    ...properties.flatMap(({ name, verdict }) => {
      const found = violations.find(({ rule }) => rule === name);
      if (found !== undefined)
        return [
          `${verdict === 'unclear' ? paint.yellow('?') : paint.red('✗')} ${oneLine(name, LONGEST)}`,
          ...linesOfStory(found, text),
        ];
      const bounded = verdict === 'bounded' ? '  within the bounds' : '';
      return [`${paint.green('✓')} ${oneLine(name, LONGEST)}${paint.dim(bounded)}`];
    }),
    ...deadEnds.flatMap((story) => [
      `${paint.yellow('!')} A run may get stuck`,
      ...movesOf(story).flatMap(text),
    ]),
    ...livelocks.flatMap((round) => [
      `${paint.yellow('!')} A run may go round without a limit`,
      ...round.flatMap(text),
    ]),
    paint.bold(
      `${several(states, 'state')}, ${several(transitions, 'transition')}, ${several(depth, 'move')} deep: ${isComplete ? 'all there are' : `${several(bounds.cut, 'state')} not looked behind`}`,
    ),
    ...text(`Ends: ${proof.ends.join(', ') || 'none'}. At most ${worstWords(proof)}`),
    ...text(`With: ${proof.faults.join(', ') || 'nothing that goes wrong'}`),
    ...proof.assumptions.flatMap((assumed) => text(`Assumed: ${assumed}`)).map((line) => paint.dim(line)),
    ...text(`${withThousands(proof.transitionsPerSecond)} transitions per second`).map((line) =>
      paint.dim(line),
    ),
  ];
};

const linesOfStory = (
  { reason, story, confirmed, unconfirmed }: Counterexample,
  text: (said: string) => readonly string[],
): readonly string[] => [
  ...text(reason),
  ...movesOf(story).flatMap(text),
  ...text(
    confirmed === 'genuine'
      ? 'A genuine run does the same'
      : `Not repeated by a genuine run: ${unconfirmed ?? ''}`,
  ),
];

const movesOf = ({ moves }: Story): readonly string[] =>
  moves.map(({ by, path, does }, index) => `${index}. ${by}: ${path} ${does}`);

const worstWords = ({ worstCase: { steps, modelCalls, toolCalls, tokens, usd } }: Proof): string => {
  const most = (amount: number | null, what: string): string =>
    amount === null ? `any number of ${what}s` : several(amount, what);
  return [
    most(steps, 'step'),
    most(modelCalls, 'model call'),
    most(toolCalls, 'tool call'),
    most(tokens, 'token'),
    usd === null ? 'any money' : dollars(usd),
  ].join(', ');
};

/** The lines that a person reads of an audit. */
export const linesOfAudit = (audit: Audit, { terminal, paint }: Session): readonly string[] => {
  const width = widthOf(terminal.stdout);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  const { runs, holds, open, violated, unread, events } = audit;
  const counts = [
    `${holds} hold`,
    ...(violated === 0 ? [] : [`${violated} violated`]),
    ...(open === 0 ? [] : [`${open} not over`]),
    ...(unread === 0 ? [] : [`${unread} not wholly read`]),
  ];
  return [
    ...runs.flatMap(({ runId, violations, unread: why }) => [
      ...violations.flatMap(({ rule, reason, seq, path, step, event, tool }) => [
        `${paint.red('✗')} ${oneLine(runId, 80)}  ${oneLine(rule, LONGEST)}`,
        ...text(
          `event ${seq} (${event}${tool === undefined ? '' : ` ${tool}`}) of ${path}${step === undefined ? '' : ` in step ${step}`}: ${reason}`,
        ),
      ]),
      ...(why === undefined ? [] : [`${paint.yellow('?')} ${oneLine(runId, 80)}`, ...text(why)]),
    ]),
    paint.bold(`${several(runs.length, 'run')}, ${several(events, 'event')}: ${counts.join(', ')}`),
  ];
};
