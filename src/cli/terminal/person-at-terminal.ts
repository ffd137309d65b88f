import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import type { Person } from '../../contracts/people/person.ts';
import { oneLine, printable } from '../../base/text/printable.ts';
import { approvalWords } from '../../inspect/drawing/approval-words.ts';
import { askLine } from './ask-line.ts';
import { several } from '../../base/text/number-words.ts';
import type { ProgressView } from '../progress/progress-view.ts';
import type { Session } from '../session.ts';
import { isAttended, widthOf } from './terminal.ts';
import { wrappedLine } from './wrapped-text.ts';

/**
 * Answers questions and approvals by the person at the terminal, one after the other. Without one, questions fail and
 * calls are denied, each with a line that says so.
 */
export const personAtTerminal = (session: Session, view: ProgressView): Person =>
  isAttended(session.terminal) && !session.settings.json ? askAtTerminal(session, view) : absent(session);

const askAtTerminal = (session: Session, view: ProgressView): Person => {
  const { sidePaint: paint } = session;
  let last: Promise<unknown> = Promise.resolve();
  /** Two agents may ask at the same time; a person is asked one question at a time. */
  const inTurn = (ask: () => Promise<string>): Promise<string> => {
    const asked = last.then(ask);
    last = asked.catch(() => undefined);
    return asked;
  };
  const read = async (lines: readonly string[], prompt: string, signal: AbortSignal): Promise<string> => {
    signal.throwIfAborted();
    view.suspend();
    try {
      return await askLine(lines, prompt, signal, session);
    } finally {
      view.resume();
    }
  };
  const wrapped = (text: string): readonly string[] =>
    text.split('\n').flatMap((line) => wrappedLine(line, widthOf(session.terminal.stderr) - 2));
  return {
    answer: (question, signal) =>
      inTurn(() => read(wrapped(printable(question)).map(paint.bold), paint.cyan('>'), signal)),
    approve: async (request, signal) => {
      const { kind, path, tool, input, description } = request;
      const lines = [
        `${paint.bold(oneLine(path, 80))} wants to use ${paint.bold(oneLine(tool, 80))}: ${oneLine(description)}`,
        paint.dim(inputLine(input)),
        ...approvalWords(request).map((line) => paint.yellow(oneLine(line))),
        ...(kind === 'ambiguous' ? ['It may already have been executed, before the run was resumed.'] : []),
      ];
      const said = await inTurn(() => read(lines, 'Allow it? [y/N]', signal));
      return /^(?:y|yes)$/i.test(said);
    },
  };
};

/** Characters of an input that are shown of each end. */
const END_SHOWN = 400;

/** Shows the arguments of a call on one line: both ends, as harm may be in either, and the length of the rest. */
const inputLine = (input: Json): string => {
  const text = oneLine(JSON.stringify(input), Infinity);
  const left = text.length - 2 * END_SHOWN;
  if (left <= 0) return text;
  const [head, tail] = [text.slice(0, END_SHOWN), text.slice(-END_SHOWN)];
  return `${head} … (${several(left, 'character')} left out) … ${tail}`;
};

const absent = ({ terminal, sidePaint: paint }: Session): Person => {
  const say = (line: string): void => {
    terminal.stderr.write(`  ${paint.yellow('!')} ${line}\n`);
  };
  return {
    answer: (question) => {
      say(`Not asked, as nobody is at a terminal to answer: ${oneLine(question)}`);
      throw new TroupeError(
        'tool.failed',
        `Cannot ask a person as nobody is at a terminal to answer: ${oneLine(question)}`,
      );
    },
    approve: ({ path, tool, description }) => {
      say(
        `Denied, as nobody is at a terminal to approve it: ${oneLine(path, 80)}, ${oneLine(tool, 80)}: ${oneLine(description)}`,
      );
      return 'nobody is at a terminal to approve it';
    },
  };
};
