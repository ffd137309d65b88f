import type { Message } from '../contracts/message.ts';
import type { ActorTree } from './actor-tree.ts';
import type { EffectRunner } from './effect-runner.ts';
import type { Actor, Job, Stage } from './stage.ts';

/** A run, as far as its jobs need it. */
export interface WorkingRun extends Stage {
  readonly effects: EffectRunner;
  readonly actors: ActorTree;
}

/** Does one job of a run. */
export const doJob = (run: WorkingRun, job: Job): void => {
  const { actors, effects, host } = run;
  switch (job.kind) {
    case 'ask':
      effects.ask(job.actor, job.ask, job.epoch, job.isResumed);
      break;
    case 'deliver':
      if (!job.actor.isOver) host.deliver(job.actor, job.envelope);
      break;
    case 'withdraw':
      effects.withdraw(job.gone);
      break;
    case 'engage':
      actors.engage(job.actor, job.engagement);
      break;
    case 'dismiss':
      for (const child of [...job.actor.children].toReversed())
        actors.stop(child, run.abortedFor ?? 'its supervisor dismissed it');
      break;
    case 'stop':
      for (const path of job.paths) actors.stopAt(path, run.abortedFor ?? 'its supervisor stopped it');
      break;
    case 'post':
      postTo(run, job.message, job.to, actors.named(job.actor, job.to));
      break;
    case 'over':
      actors.close(job.actor, job.output);
  }
};

/** Puts a message into an actor's inbox; false, and on record, where nobody is there to take it. */
export const postTo = (run: Stage, message: Message, to: string, actor: Actor | undefined): boolean => {
  const { from, text } = message;
  if (actor === undefined) {
    run.log.write({ type: 'message.dropped', to, from, text, reason: 'nobody' }, run.root);
    return false;
  }
  run.log.write({ type: 'message.sent', to: actor.path, from, text }, run.root);
  run.enqueue({ kind: 'deliver', actor, envelope: { type: 'message', at: run.log.now(), message } });
  return true;
};
