import { lasting } from '../base/text/number-words.ts';
import { oneLine } from '../base/text/printable.ts';
import type { Suggestion } from '../inspect/suggestions/suggestion.ts';
import { suggestions } from '../inspect/suggestions/suggestions.ts';
import { exitCode } from './exit-code.ts';
import type { Session } from './session.ts';
import { withStore } from './stored/open-store.ts';
import { jsonLine } from './stored/run-words.ts';
import { widthOf } from './terminal/terminal.ts';
import { wrappedLine } from './terminal/wrapped-text.ts';
import type { SuggestCommand } from './usage/commands.ts';
import { dollars } from './words/ending.ts';

/** `troupe suggest`: what would make stored runs faster, cheaper or better, with the evidence. */
export const suggest = ({ target, limit }: SuggestCommand, session: Session): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings } = session;
    const found = await suggestions(store, { target, limit });
    if (settings.json) for (const each of found) terminal.stdout.write(jsonLine(each));
    else
      for (const line of found.flatMap((each) => linesOf(each, session))) terminal.stdout.write(`${line}\n`);
    if (found.length === 0 && !settings.json && !settings.quiet)
      terminal.stderr.write(`Nothing to suggest for ${target} in ${store.name}\n`);
    return exitCode.answered;
  });

/** Longest text of a line, in characters: names may be of any length. */
const LONGEST = 400;

const linesOf = (
  { type, description, expected, evidence, proven, basis }: Suggestion,
  { terminal, paint }: Session,
): readonly string[] => {
  const width = widthOf(terminal.stdout);
  const mark = proven ? paint.green('proven') : paint.dim('expected');
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  const { runs, runCount } = evidence;
  const shown = runs.slice(0, SHOWN).join(', ');
  return [
    `${paint.bold(type)}  ${mark}  ${gainWords(expected)}`,
    ...text(`${description}.`),
    ...text(`${basis}.`).map((line) => paint.dim(line)),
    ...text(
      `In ${runCount === 1 ? '1 run' : `${runCount} runs`}: ${shown}${runCount > SHOWN ? ', …' : ''}`,
    ).map((line) => paint.dim(line)),
  ];
};

/** Runs that are named. */
const SHOWN = 3;

/** The savings over all recorded runs together. */
const gainWords = ({ latencyMs, costUsd, tokens, share }: Suggestion['expected']): string =>
  [
    `saves ${Math.round(share * 100)} %`,
    ...(latencyMs === undefined ? [] : [lasting(latencyMs)]),
    ...(costUsd === undefined || costUsd === 0 ? [] : [dollars(costUsd)]),
    ...(tokens === undefined ? [] : [`${Math.round(tokens)} tokens`]),
  ].join(' · ');
