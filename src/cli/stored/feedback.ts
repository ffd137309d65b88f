import type { Json } from '../../base/json/json.ts';
import { oneLine } from '../../base/text/printable.ts';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { Feedback } from '../../testing/datasets/feedback.ts';
import { feedback } from '../../testing/datasets/feedback.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import type { FeedbackCommand } from '../evals/eval-command.ts';
import { wrong } from '../usage/wrong-usage.ts';
import { briefValue } from '../words/brief-value.ts';
import { findRun } from './find-run.ts';
import { withStore } from './open-store.ts';
import { jsonLine, timeWords } from './run-words.ts';

/** `troupe feedback`: keeps what a person says of a stored run, or lists what was said. */
export const giveFeedback = (wanted: FeedbackCommand, session: Session): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { verdict, comment, expected, evaluator, by, path, step, call: callId, isData } = wanted;
    const { runId } = await findRun(store, wanted.runId);
    const isGiven = [verdict, comment, expected].some((each) => each !== undefined);
    const detail = Object.entries({ evaluator, by, path, step, call: callId }).find(
      ([, value]) => value !== undefined,
    );
    if (!isGiven && detail !== undefined)
      throw wrong(
        `--${detail[0]} says what feedback is about, and none is given: add good, bad or --comment`,
        'feedback',
      );
    const shown = isGiven
      ? [
          await feedback
            .add(store, runId, {
              ...(verdict === undefined ? {} : { good: verdict === 'good' }),
              ...(expected === undefined ? {} : { expected: isData ? parseData(expected) : expected }),
              comment,
              evaluator,
              by,
              path,
              step,
              callId,
            })
            .catch((thrown: unknown) => {
              throw nameOfPlace(thrown, wanted);
            }),
        ]
      : await feedback.of(store, runId);
    print(shown, session);
    return exitCode.answered;
  });

/** The error with the options that name a place in the run. */
const nameOfPlace = (thrown: unknown, { runId, path, step, call }: FeedbackCommand): unknown => {
  if (!isTroupeError(thrown, 'input.invalid')) return thrown;
  const given = Object.entries({ path, step, call }).filter(([, value]) => value !== undefined);
  const names = given.map(([name]) => `--${name}`).join(', ');
  return new TroupeError(
    'command.usage',
    `${thrown.message} (given by ${names}). Name one that troupe show ${runId} lists`,
    { cause: thrown },
  );
};

const parseData = (text: string): Json => {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw wrong(
      `--expected is no JSON: '${text}', ${messageOf(thrown)}. Give JSON, or leave out --data`,
      'feedback',
    );
  }
};

const print = (shown: readonly Feedback[], { terminal, settings, paint }: Session): void => {
  if (settings.json) for (const each of shown) terminal.stdout.write(jsonLine(each));
  else if (!settings.quiet) {
    for (const { at, good, comment, expected, evaluator, by, path, step, callId } of shown) {
      const mark = good === undefined ? '·' : good ? paint.green('✓ good') : paint.red('✗ bad');
      const words = [
        ...(evaluator === undefined ? [] : [`by ${evaluator}`]),
        ...(path === undefined ? [] : [`at ${path}`]),
        ...(step === undefined ? [] : [`in step ${step}`]),
        ...(callId === undefined ? [] : [callId]),
        ...(comment === undefined ? [] : [comment]),
        ...(expected === undefined ? [] : [`expected ${briefValue(expected)}`]),
        ...(by === undefined ? [] : [`(${by})`]),
      ];
      terminal.stdout.write(`${timeWords(at)}  ${mark}  ${oneLine(words.join(' · '), 400)}`.trimEnd() + '\n');
    }
    if (shown.length === 0) terminal.stderr.write('Nobody has commented on this run\n');
  }
};
