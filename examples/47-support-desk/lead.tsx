// The lead's page: every run of the desk as it goes, and what waits for a person.
import { useEffect, useState } from 'react';
import { connect, waitingRequests } from 'troupe/client';
import { useRun } from 'troupe/react';
import type { service } from './server.ts';
import { Frame, show } from './shell.tsx';

const desk = connect<typeof service>('/desk', {
  headers: { authorization: 'Bearer lead' },
  maxRetryMs: 2_000,
});

type Entry = Awaited<ReturnType<typeof desk.runs>>[number];

/** The runs of the desk, newest first, looked at each second. */
const useRuns = () => {
  const [known, setKnown] = useState<{ readonly runs: readonly Entry[]; readonly isAway: boolean }>({
    runs: [],
    isAway: false,
  });
  useEffect(() => {
    let isHere = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const runs = await desk.runs().catch(() => undefined);
      if (!isHere) return;
      setKnown((last) => (runs === undefined ? { ...last, isAway: true } : { runs, isAway: false }));
      timer = setTimeout(() => void look(), 1_000);
    };
    void look();
    return () => {
      isHere = false;
      clearTimeout(timer);
    };
  }, []);
  return known;
};

const Case = ({ runId, title = 'A conversation' }: Entry) => {
  const run = desk.at(runId);
  const { progress, connection } = useRun(run);
  const [problem, setProblem] = useState<string>();
  const [isSent, setSent] = useState(false);
  const answer = (send: () => Promise<void>) => {
    setSent(true);
    setProblem(undefined);
    send().catch((thrown: unknown) => {
      setSent(false);
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    });
  };
  const open = waitingRequests(progress);
  const [request] = open;
  const state =
    request === undefined
      ? progress.status === 'running'
        ? 'in progress'
        : progress.status
      : 'waits for you';
  return (
    <article className="case" aria-label={title}>
      <header>
        <h3>{title}</h3>
        <span className={`tag ${state.replaceAll(' ', '-')}`}>
          {connection === 'waiting' ? 'reconnecting' : state}
        </span>
      </header>
      <p className="last">{progress.text}</p>
      {request !== undefined && request.kind !== 'question' && (
        <div className="decision" role="group" aria-label={request.description}>
          <strong>{request.description}</strong>
          <button className="primary" disabled={isSent} onClick={() => answer(() => run.approve(request.id))}>
            Release
          </button>
          <button disabled={isSent} onClick={() => answer(() => run.deny(request.id, 'The lead said no.'))}>
            Refuse
          </button>
        </div>
      )}
      {problem !== undefined && (
        <p className="notice problem" role="alert">
          {problem}
        </p>
      )}
    </article>
  );
};

const Lead = () => {
  const { runs, isAway } = useRuns();
  return (
    <Frame title="Desk" about="Lena Lead" isAway={isAway}>
      <h2>Conversations</h2>
      {runs.length === 0 && <p className="notice">Nothing to do: enjoy your tea.</p>}
      <div className="cases">
        {runs.map((entry) => (
          <Case key={entry.runId} {...entry} />
        ))}
      </div>
    </Frame>
  );
};

show(<Lead />);
