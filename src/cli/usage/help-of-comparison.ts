import type { HelpText } from './help-text.ts';

const RUN = 'RUN is the id of a run, or its first four or more characters.';

/** Help texts of the commands that compare stored runs with others, and with what they could be. */
export const helpOfComparison: Readonly<
  Record<'compare' | 'suggest' | 'rehearse' | 'upgrade' | 'blame' | 'verify', HelpText>
> = {
  compare: {
    about: 'show where two runs diverge, in calls, messages, cost and output',
    usage: 'RUN RUN',
    text: `${RUN} Times and ids are ignored. Exit code 0 if they are equal, 1 if not.
With --json: isSame, shared, parted, phases, messages, calls and totals, with left and right in each.`,
    examples: ['troupe compare 3f9a a1b2'],
  },
  suggest: {
    about: 'suggest what makes stored runs faster, cheaper or better',
    usage: '',
    text: `Looks for inefficiencies in runs that have ended, the greatest share of the target first: repeated calls, slow models, easy steps,
prompts that are not cached, tools that could run at once or are never called, context that nothing refers to, retries that never help,
branches that are never taken, answers that are sent back. With each come the gain over these runs, its proof, and runs that show it.
Only what is proven is shown: by a recount of the records, or, with --model, by forks of these runs, which ask that model, and execute no
tool. An agent is found by the command that started its runs, or by --agent.
With --json, one line for each suggestion: type, agent, model, description, expected, evidence, proven, basis.`,
    options: `      --target WHAT    latency, cost (default) or accuracy
      --limit N        look at the newest N runs (default: 1000)
      --unproven       show also what is not proven, with the reason
      --agent FILE     the module that exports the agent whose runs are forked`,
    examples: [
      'troupe suggest',
      'troupe suggest --model openai:gpt-5-mini',
      'troupe suggest --target latency --unproven --store runs.db',
    ],
  },
  rehearse: {
    about: 'drive a changed agent through stored runs, and say what would differ',
    usage: '--candidate FILE',
    text: `Each run of the agent is replayed by the candidate, with its whole team: what it asks as in the run is answered from the journal, for
nothing. For each run it says whether it is the same, or where it differs first: by whom, in which step, in which part (model, instructions,
tools, output, settings, toolChoice, messages, budget, or the course of events).
With --live, a run that differs goes on from there in a fork that is thrown away: equal requests are still answered from the journal, the
others go to the models. No tool is executed, unless with --tools read those that only read, and nothing is written to the store.
Code within an effect is not compared: a tool whose description is the same is the same tool.
Exit code 0 if all runs are the same, 1 if not. With --json, one line for each run, and one for all.`,
    options: `      --candidate FILE the module that exports the changed agent
      --over STORE     the store with the runs (default: as --store)
      --run RUN        this run only
      --limit N        the newest N runs (default: 1000)
      --live           go on live where a run differs
      --tools WHICH    recorded (default), or read: executes tools that only read
      --budget USD     for all live calls together`,
    examples: [
      'troupe rehearse --candidate clerk.ts',
      'troupe rehearse --candidate clerk.ts --over runs.db --live --budget 2',
      'troupe rehearse --candidate clerk.ts --run 3f9a --json',
    ],
  },
  upgrade: {
    about: 'say which runs under way a new version would go on with',
    usage: '--check FILE',
    text: `Each unfinished run of the agents that FILE exports is replayed by them, as resuming it would be, without asking anybody and without
writing anything: prompts, models and tools may have changed, as long as the run does nothing else because of it. A run that would do something
else is held by the new version (journal.diverged), never broken: a process with the old one goes on with it. So is one with a call that waits
and whose tool is gone or takes another input (tool.missing). Earlier versions that FILE exports as \`versions\`, agents
by labels, go on with what they can.
Exit code 0 if all go on, 1 if not, or if all that are under way are of other agents. With --json, one line for each run: runId, agent, status,
verdict, version, difference, calls, error.`,
    options: `      --check FILE     the module that exports the new version
      --over STORE     the store with the runs (default: as --store)
      --export NAME    only this export; also FILE#NAME`,
    examples: [
      'troupe upgrade --check team.ts',
      'troupe upgrade --check team.ts#desk --over postgres://db/runs',
    ],
  },
  blame: {
    about: 'find the agent and the step that a failed run failed by, by changing it',
    usage: 'RUN --fails FILE',
    text: `${RUN} FILE exports a function that is given a run that has ended, and returns true
if it fails: export default ({ output }) => !output.includes('42'). Each answer of a model, result of a tool and message from outside is a
candidate. Something else is tried in its place on a fork that is thrown away: the answer of another run to an equal request, or, with --live,
what the model says when it is asked again. All that is asked as in the run is answered from its journal; only what follows from the change
is paid for. Printed is the smallest change that turns the run: by whom, in which step, what was said, and what instead. Nothing is written
to the store, and no tool is executed, unless with --tools read those that only read.
With --write, a test is written that replays the run, which fails, and the fork, which does not; it needs no key.
Exit code 0 if a change was found, 1 if not. With --json: verdict, changes, turned, followed, output, fork, tried, stopped, untried, written.`,
    options: `      --fails FILE     the module with the check; also FILE#NAME
      --live           ask models again
      --tools WHICH    recorded (default), or read: executes tools that only read
      --budget USD     for all live calls together
      --samples N      attempts at a point (default: 3)
      --limit N        look for other answers in the newest N runs (default: 100)
      --write FILE     write a test, with its journals beside it: blamed.test.ts
      --agent FILE     the module that exports the agent of the run`,
    examples: [
      'troupe blame 3f9a --fails check.ts',
      'troupe blame 3f9a --fails check.ts --live --budget 0.50 --samples 5',
      'troupe blame 3f9a --fails checks.ts#noTotal --agent team.ts --live --write test/total.test.ts',
    ],
  },
  verify: {
    about: 'prove properties of an agent or a team, or audit stored runs by them',
    usage: 'FILE',
    text: `FILE exports an agent or a team, a list of \`properties\`, and, if it likes, further options of the proof as \`proof\`. Every state of a run
is reached, with all that models, tools, people and timers may do, in every order: no model is asked, and no tool executed. Printed are the
properties that hold, and of each that does not the shortest story, which a genuine run repeats; where a run may get stuck; what was assumed.
With --over, the runs that a store has of the agent are judged instead, by their events: by run, event, agent and step.
Exit code 0 if all holds, 1 if not. With --json: verdict, properties, violations (with story), states, transitions, depth, isComplete, bounds,
faults, assumptions, deadEnds, livelocks, ends, coverage, worstCase; with --over one line for each run, then a summary.`,
    options: `      --over STORE     audit the runs of that store: FILE or postgres://…
      --run RUN        that run only
      --limit N        the newest N runs (default: 1000)
      --depth N        look at most N moves ahead
      --mermaid FILE   write the first story as a sequence diagram
      --report FILE    write the report, for others to make again
      --sign KEY       sign it by a private key (Ed25519, PEM)
      --against FILE   make the proof of a report again, and compare
      --key KEY        the public key that has to have signed that report`,
    examples: [
      'troupe verify team.ts',
      'troupe verify team.ts#desk --depth 20 --mermaid story.mmd',
      'troupe verify team.ts --report proof.json --sign key.pem',
      'troupe verify team.ts --against proof.json --key public.pem',
      'troupe verify team.ts --over runs.db',
    ],
  },
};
