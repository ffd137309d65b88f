import { several } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { Blame, BlamedChange, ChangedPoint } from '../../testing/blame/blame-report.ts';
import type { Said } from '../../testing/blame/point.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import { dollars } from '../words/ending.ts';
import { briefValue } from '../words/brief-value.ts';

/** The lines that a person reads of a search. */
export const linesOfBlame = (
  found: Blame,
  isLive: boolean,
  { terminal, paint }: Session,
): readonly string[] => {
  const width = widthOf(terminal.stdout);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  const { changes, followed, output, turned, tried, stopped, untried } = found;
  const isFound = changes.length > 0;
  return [
    ...(isFound
      ? []
      : [`${paint.yellow('?')} Nothing that could be tried turns run ${oneLine(found.runId, 80)}`]),
    ...changes.flatMap((change) => [
      `${paint.red('✗')} ${placeOf(change)}, event ${change.seq}`,
      ...text(`said ${wordsOf(change.recorded)}`),
      ...text(`with ${wordsOf(change.changed)} it does not fail (${ORIGINS[change.origin]})`),
    ]),
    ...(changes.length > 1 ? text('None of these changes is enough without the others.') : []),
    ...(isFound ? wayOf(followed, output).flatMap(text) : []),
    ...(turned === undefined
      ? []
      : text(
          `Turned by ${turned.count} of ${several(turned.of, 'attempt')} there (95 % confidence: ${percent(turned.low)} to ${percent(turned.high)})`,
        )),
    paint.bold(
      `${several(tried.points, 'point')}, ${several(tried.forks, 'fork')}, ${several(tried.modelCalls, 'model call')}${tried.costUsd === undefined ? '' : ` for ${dollars(tried.costUsd)}`}`,
    ),
    ...(stopped === undefined ? [] : text(`Stopped early as ${stopped}`)),
    ...untried.flatMap((why) => text(`Not tried: ${why}`)),
    ...(isFound || isLive ? [] : text(LIVE)),
  ];
};

/** The way on of a search that has asked nobody. */
const LIVE =
  'Only what other runs have on record was tried, and no model was asked: with --live they are asked again, for at most --budget USD';

const ORIGINS: Readonly<Record<BlamedChange['origin'], string>> = {
  repair: 'as it was repaired',
  record: 'as in another run',
  model: 'when its model was asked again',
  tool: 'when the tool was executed again',
};

const placeOf = ({ kind, path, step, tool }: ChangedPoint): string => {
  const what = { answer: 'the answer', result: `the result of '${tool ?? ''}'`, message: 'the message' }[
    kind
  ];
  return `${what} ${kind === 'message' ? 'to' : 'of'} ${oneLine(path, 80)}${step === undefined ? '' : ` in step ${step}`}`;
};

/** The way from the change to the end. */
const wayOf = (
  followed: readonly ChangedPoint[],
  { recorded, changed }: Blame['output'],
): readonly string[] => {
  const paths = [...new Set(followed.map(({ path }) => path))];
  return [
    ...(paths.length === 0 ? [] : [`then ${paths.join(', ')} said otherwise, too`]),
    `output ${briefValue(changed)}`,
    `instead of ${briefValue(recorded)}`,
  ];
};

const wordsOf = ({ text, calls = [] }: Said): string => {
  const called = calls.map(({ name, input }) => `${name}(${JSON.stringify(input)})`).join(', ');
  return briefValue([text, called].filter((part) => part !== '').join(' '));
};

/** Characters of a line, before it is wrapped. */
const LONGEST = 400;

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;
