import { useMemo, useState } from 'preact/hooks';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import { clockOf, countOf, several } from '../figures.ts';
import type { Tone } from '../folds/problem-of.ts';
import { tones, wordFor } from '../folds/problem-of.ts';
import type { Occurrence, Problem } from '../folds/problems.ts';
import { toneAt, worst } from '../folds/problems.ts';
import {
  changes,
  embedded,
  filter,
  goTo,
  pointedAt,
  recorded,
  select,
  shown,
  sideTab,
} from '../page-state.ts';
import { hold } from '../playback.ts';
import { Text } from '../parts/text.tsx';
import { VirtualList } from '../list/virtual-list.tsx';

const ROW = 50;
/** The most occurrences that are listed of one problem. */
const MOST = 100;

/** A problem with the occurrences that are shown. */
interface ShownProblem {
  readonly problem: Problem;
  readonly occurrences: readonly Occurrence[];
  readonly tone: Tone;
}

const meaningOf: Readonly<Record<Tone, string>> = {
  error: 'Work that failed',
  refusal: 'Calls, messages and answers that somebody refused',
  stop: 'Agents that a limit stopped, or a person',
  setback: 'What was tried again, or done without',
};

/** All errors of the run in one list, equal ones once; those after the place shown are pale. */
export const ErrorsView = () => {
  const [only, setOnly] = useState<Tone | undefined>(undefined);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const { problems } = recorded.value.folds;
  const { length } = shown.value;
  const { run } = filter.value;
  // They arrive while the past is shown, too.
  void changes.value;
  const all = useMemo(() => problemsFor(problems.all, run), [problems, problems.changes, run]);
  const rows = only === undefined ? all : all.filter(({ tone }) => tone === only);
  const counts = problems.countAt(length, run);
  const later = all.reduce(
    (sum, { occurrences }) => sum + occurrences.filter(({ n }) => n >= length).length,
    0,
  );
  const found = rows.findIndex(({ problem }) => problem.key === chosen);
  const goToRow = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    setChosen(row.problem.key);
    const first = row.occurrences.find((each) => toneAt(each, Infinity) === row.tone) ?? row.occurrences[0];
    if (first !== undefined) goToOccurrence(first);
  };
  const { damage = [] } = embedded.value ?? {};
  return (
    <div class="errors">
      <div class="strip">
        <div class="segments" role="group" aria-label="Which are shown">
          <button
            type="button"
            aria-pressed={only === undefined}
            onClick={() => {
              setOnly(undefined);
            }}
          >
            All
          </button>
          {tones.map((tone) => (
            <button
              key={tone}
              type="button"
              aria-pressed={only === tone}
              title={meaningOf[tone]}
              onClick={() => {
                setOnly(tone);
              }}
            >
              {several(counts[tone], ...wordFor[tone])}
            </button>
          ))}
        </div>
        {later > 0 && <span class="count">{countOf(later)} later</span>}
      </div>
      {damage.length > 0 && (
        <p class="damaged">
          The log is damaged: {several(damage.length, 'finding')}.{' '}
          <button
            type="button"
            class="link"
            onClick={() => {
              sideTab.value = 'run';
            }}
          >
            Show
          </button>
        </p>
      )}
      {rows.length === 0 ? (
        <p class="empty">{all.length === 0 ? 'Nothing went wrong.' : 'None of these.'}</p>
      ) : (
        <VirtualList
          count={rows.length}
          rowHeight={ROW}
          role="listbox"
          label="Errors"
          inSight={found}
          activeId={found < 0 ? undefined : `problem-${found}`}
          onKeyDown={(event) => {
            const moves: Readonly<Record<string, number>> = {
              ArrowDown: found + 1,
              ArrowUp: found - 1,
              Home: 0,
              End: rows.length - 1,
              Enter: found,
            };
            const next = moves[event.key];
            if (next === undefined) return;
            event.preventDefault();
            goToRow(next);
          }}
          render={(index) => {
            const row = rows[index];
            return (
              row && (
                <Row
                  key={row.problem.key}
                  row={row}
                  length={length}
                  index={index}
                  count={rows.length}
                  isChosen={index === found}
                  onChoose={() => {
                    goToRow(index);
                  }}
                />
              )
            );
          }}
        />
      )}
      {rows[found] !== undefined && <Details row={rows[found]} length={length} />}
    </div>
  );
};

const problemsFor = (problems: readonly Problem[], run: string | undefined): readonly ShownProblem[] =>
  problems.flatMap((problem) => {
    const occurrences =
      run === undefined ? problem.occurrences : problem.occurrences.filter((each) => each.run === run);
    return occurrences.length === 0
      ? []
      : [{ problem, occurrences, tone: worst(occurrences.map((each) => toneAt(each, Infinity))) }];
  });

/** Shows the recording where an error was reported, and the call that it is about. */
const goToOccurrence = ({ n, actor, call }: Occurrence): void => {
  hold();
  goTo(n + 1);
  select(actor);
  if (call === undefined) return;
  sideTab.value = 'transcript';
  pointedAt.value = call;
};

interface RowProps {
  readonly row: ShownProblem;
  readonly length: number;
  readonly index: number;
  readonly count: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const Row = ({ row, length, index, count, isChosen, onChoose }: RowProps) => {
  const { problem, occurrences, tone } = row;
  const [first] = occurrences;
  const isLater = first === undefined || first.n >= length;
  const agents = [...new Set(occurrences.slice(0, MOST).map(({ agent }) => agent))];
  return (
    <div
      id={`problem-${index}`}
      class={`problem ${tone} ${isChosen ? 'chosen' : ''} ${isLater ? 'later' : ''}`}
      role="option"
      aria-selected={isChosen}
      aria-posinset={index + 1}
      aria-setsize={count}
      style={{ height: `${ROW}px` }}
      onClick={onChoose}
    >
      <p>
        <span class="tone">{wordFor[tone][0]}</span>
        <b>
          <bdi>{oneLine(problem.title, 60)}</bdi>
        </b>
        {occurrences.length > 1 && <span class="times">{countOf(occurrences.length)} times</span>}
        <span class="unseen">{isLater ? 'later than the place shown' : ''}</span>
        <span class="space" />
        <bdi class="who">{oneLine(agents.join(', '), 50)}</bdi>
        <span class="when">{first === undefined ? '' : clockOf(first.at)}</span>
      </p>
      <p class="message">
        <bdi>{brief([problem.message, ...problem.causes].join(' ← '), 160)}</bdi>
      </p>
    </div>
  );
};

/** The whole text of a problem, its causes, and where it occurred. */
const Details = ({ row, length }: { readonly row: ShownProblem; readonly length: number }) => {
  const { problem, occurrences } = row;
  const { message, code, causes } = problem;
  return (
    <section class="details scroll" aria-label="The chosen error" tabIndex={0}>
      <p>
        {code !== undefined && <code>{oneLine(code, 60)}</code>} <Text value={message} />
      </p>
      {causes.length > 0 && (
        <>
          <h2>Because of</h2>
          <ol class="causes">
            {causes.map((cause, index) => (
              <li key={index}>
                <Text value={cause} />
              </li>
            ))}
          </ol>
        </>
      )}
      <h2>{several(occurrences.length, 'place')}</h2>
      <ul class="occurrences">
        {occurrences.slice(0, MOST).map((each) => (
          <li key={each.n} class={each.n >= length ? 'later' : ''}>
            <button
              type="button"
              class="when"
              title={`Go to entry ${countOf(each.n)}`}
              onClick={() => {
                goToOccurrence(each);
              }}
            >
              {clockOf(each.at)}
            </button>{' '}
            <bdi>{oneLine(each.path, 80)}</bdi> <span class="soft">{oneLine(eventNames(each), 160)}</span>
          </li>
        ))}
      </ul>
      {occurrences.length > MOST && <p class="soft">and {countOf(occurrences.length - MOST)} more</p>}
    </section>
  );
};

const eventNames = ({ reports }: Occurrence): string => {
  const types = reports.map(({ type }) => type);
  return types.length > 6 ? `${types.slice(0, 6).join(', ')} and ${types.length - 6} more` : types.join(', ');
};
