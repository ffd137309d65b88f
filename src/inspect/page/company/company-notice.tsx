import { oneLine } from '../../drawing/plain-text.ts';
import { currentRun, session } from '../page-state.ts';
import { runName } from '../session.ts';
import { company, deed } from './company.ts';
import { Icon } from '../parts/icon.tsx';

/** By command: what somebody did who gave it, before and behind the run. */
const words: Readonly<Record<string, readonly [before: string, behind?: string]>> = {
  pause: ['held'],
  resume: ['let', 'go on'],
  step: ['had', 'make a step'],
  effect: ['had', 'make one call'],
  send: ['sent a message to'],
  approve: ['approved a call of'],
  deny: ['denied a call of'],
  reply: ['answered a question of'],
  abort: ['aborted'],
  kill: ['stopped a member of'],
  fork: ['forked'],
  'break-add': ['set a breakpoint for'],
  'break-remove': ['removed a breakpoint of'],
};

/** The last thing that somebody else did who looks at the same runs. */
export const CompanyNotice = () => {
  const done = deed.value;
  const said = done === undefined ? undefined : words[done.do];
  if (done === undefined || said === undefined) return null;
  const run = session.value?.runs.find((each) => each.run === done.run);
  const name =
    done.run === undefined
      ? 'all runs'
      : done.run === currentRun.value?.run
        ? 'this run'
        : oneLine(run === undefined ? done.run : runName(run), 80);
  return (
    <p class="notice" role="status">
      <Icon name="person" />
      <span>
        Somebody else {said[0]} <bdi>{name}</bdi>
        {said[1] !== undefined && ` ${said[1]}`}.
      </span>
    </p>
  );
};

/** The number of pages that look, where it is not this one alone. */
export const CompanyCount = () =>
  company.value < 2 ? null : (
    <span class="company" title={`${company.value} pages look at these runs`}>
      <Icon name="person" size={14} />
      <span class="unseen">pages that look: </span>
      {company.value}
    </span>
  );
