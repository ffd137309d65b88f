import type { ActorTree } from './actor-tree.ts';
import type { EffectRunner } from './effect-runner.ts';
import type { Envelope } from './envelope.ts';
import type { MailRoom } from './mail/mail-room.ts';
import type { Actor, Job, Stage } from './stage.ts';

/** A run, as far as its jobs need it. */
export interface WorkingRun extends Stage {
  readonly effects: EffectRunner;
  readonly actors: ActorTree;
  readonly mail: MailRoom;
}

/** Does one job of a run. */
export const doJob = (run: WorkingRun, job: Job): void => {
  // What an effect answers now is no part of what is on record.
  if (job.isResumed !== true || job.kind === 'ask') workOff(run, job);
  else
    run.journal.again.resuming(() => {
      workOff(run, job);
    });
};

const workOff = (run: WorkingRun, job: Job): void => {
  const { actors, effects, host } = run;
  switch (job.kind) {
    case 'ask':
      effects.ask(job.actor, job.ask, job.epoch, job.isResumed);
      break;
    case 'deliver':
      run.mail.handOver(job.actor);
      if (!job.actor.isOver) host.deliver(job.actor, job.envelope);
      if (job.envelope.type === 'expired') endTeam(run, job.actor, job.envelope);
      run.mail.questions.lookAgain(job.actor.path);
      if (job.envelope.type === 'answered.member') run.mail.judged(job.envelope['path']);
      break;
    case 'withdraw':
      effects.withdraw(job.gone);
      break;
    case 'engage':
      actors.engage(job.actor, job.engagement);
      break;
    case 'dismiss':
      for (const child of [...job.actor.children].toReversed())
        if (!isDelegate(child)) actors.stop(child, run.abortedFor ?? 'its supervisor dismissed it');
      break;
    case 'stop':
      for (const path of job.paths) actors.stopAt(path, run.abortedFor ?? 'its supervisor stopped it');
      break;
    case 'post':
      run.mail.postFrom(job.actor, job.to, job.message);
      break;
    case 'mail':
      run.mail.handOver(job.actor, true);
      break;
    case 'over':
      actors.close(job.actor, job.output);
  }
};

/** A team whose time is up ends by what it makes of the replies that are in; where it would go on, it ends all the same. */
const endTeam = ({ host }: WorkingRun, actor: Actor, envelope: Envelope): void => {
  if (actor.isOver || actor.definition.agent !== undefined) return;
  const context = host.contextOf(actor);
  const goesOn = typeof context === 'object' && context !== null && 'end' in context && context.end === null;
  if (goesOn) host.deliver(actor, { ...envelope, type: 'expired.final' });
};

/** Work that an agent gave away outlives the state in which it was given. */
const isDelegate = ({ sponsor }: Actor): boolean => sponsor.kind === 'machine' && sponsor.port === 'delegate';
