import { several } from '../figures.ts';
import { approvalWords } from '../../drawing/approval-words.ts';
import {
  askedHere,
  chooseRun,
  filter,
  mayControl,
  select,
  session,
  shown,
  shownProcess,
} from '../page-state.ts';
import { brief, oneLine } from '../../drawing/plain-text.ts';
import type { AskedRequest, SessionRun } from '../session.ts';
import { runName } from '../session.ts';
import { refusals } from '../refusals.ts';
import { Icon } from './icon.tsx';
import { Decide, Reply } from './request-answer.tsx';
import { Text } from './text.tsx';
import { Until } from './until.tsx';

const MOST = 3;

/** Requests that wait for a person. */
export const RequestsBanner = () => {
  const { here: open, elsewhere } = askedHere.value;
  if (open.length === 0 && elsewhere === 0) return null;
  return (
    <section class="requests" aria-label="Waiting for a person" aria-live="polite">
      {open.slice(0, MOST).map((each) => (
        <Request key={`${each.run ?? ''} ${each.id}`} request={each} />
      ))}
      {open.length > MOST && <p class="rest">and {open.length - MOST} more</p>}
      {elsewhere > 0 && (
        <p class="rest">
          {several(elsewhere, 'request')} in other runs{' '}
          <button
            type="button"
            class="link"
            onClick={() => {
              chooseRun(undefined);
            }}
          >
            show all runs
          </button>
        </p>
      )}
    </section>
  );
};

/** Returns the run of a request: as the server says; else by its address. */
const runOf = (request: AskedRequest): string | undefined => {
  if (request.run !== undefined) return request.run;
  for (const { actor, run, status } of shown.peek().tableau.actors.values())
    if (status === 'active' && actor === `${run}/${request.path}`) return run;
  return undefined;
};

/** The live runs of the process that is shown. */
const liveRunsHere = (): readonly SessionRun[] =>
  (session.value?.runs ?? []).filter(({ isLive, process }) => isLive && process?.id === shownProcess.value);

/** Returns the name of a run where another could be meant: several are shown. */
const placeOf = (run: string | undefined): string | undefined => {
  const runs = liveRunsHere();
  const found = runs.find((each) => each.run === run);
  return filter.value.run !== undefined || runs.length < 2 || found === undefined
    ? undefined
    : runName(found);
};

const Request = ({ request }: { readonly request: AskedRequest }) => {
  const isQuestion = request.kind === 'question';
  const run = runOf(request);
  const place = placeOf(run);
  const refused = refusals.value.get(request.id);
  return (
    <div class="request" data-request={request.id}>
      <Icon name="person" />
      <div class="asked">
        <button
          type="button"
          class="link"
          onClick={() => {
            if (run !== undefined) select(`${run}/${request.path}`);
          }}
        >
          <bdi>{oneLine(request.agent, 40)}</bdi>
        </button>{' '}
        {place !== undefined && (
          <>
            of <bdi>{place}</bdi>{' '}
          </>
        )}
        {isQuestion ? (
          <>
            asks: <Text value={request.question} most={240} />
          </>
        ) : (
          <>
            {request.kind === 'ambiguous' ? 'may have called' : 'wants to call'}{' '}
            <strong>
              <bdi>{oneLine(request.tool, 60)}</bdi>
            </strong>{' '}
            <code>{brief(request.input, 160)}</code>
            <span class="why">
              <Text value={request.description} most={240} />
            </span>
            {approvalWords(request).map((line) => (
              <span key={line} class="why terms">
                <Text value={line} most={240} />
              </span>
            ))}
          </>
        )}
        {request.expiresAt !== undefined && <Until expiresAt={request.expiresAt} />}
        {refused !== undefined && (
          <span class="refused" role="alert">
            Refused: {oneLine(refused, 300)}
          </span>
        )}
      </div>
      {mayControl(session.value?.runs.find((each) => each.run === run)) &&
        (isQuestion ? <Reply {...{ request, run }} /> : <Decide {...{ request, run }} />)}
    </div>
  );
};
