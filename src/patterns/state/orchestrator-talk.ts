import type { Utterance } from '../../memory/processors/perspective.ts';
import type { RoutedTurn } from '../../memory/processors/routing-context.ts';
import type {
  Completion,
  OrchestratorContext as Context,
  OrchestratorTurn,
  Route,
} from './orchestrator-route.ts';
import { textOf } from '../../coordination/round/said-json.ts';
import { absence, inOrder, USER, withInbox } from '../../coordination/round/talk.ts';

/** A turn as a router reads it; who handed its part on is shown by who did it. */
export const routedTurn = ({ phase, members, reason, completions }: OrchestratorTurn): RoutedTurn => ({
  agents: completions.length < members.length ? members : completions.map(({ member }) => member),
  phase,
  reason,
  completions: completions.map(({ member, output, error }) => ({
    agent: member,
    message: error === null ? textOf(output) : `failed: ${error}`,
  })),
});

/** The context with what came into the inbox as part of the conversation. */
export const listening = (context: Context): Context => {
  const { own, inbox } = context;
  const after = own.turns.reduce((sum, { completions }) => sum + completions.length, 0);
  return { ...context, inbox: [], own: { ...own, heard: withInbox(own.heard, inbox, after) } };
};

/** The reason that a member is given for its turn. */
export const callFor = ({ phase, reason, message }: Route): string =>
  [`Phase: ${phase}. It is your turn: ${reason}`, ...(message === null ? [] : [`Message: ${message}`])].join(
    '\n\n',
  );

/** The conversation as utterances with their speakers. */
export const utterances = ({ input, own }: Context): readonly Utterance[] => [
  { from: USER, text: textOf(input) },
  ...inOrder(
    own.turns.flatMap(({ completions }) => completions.map(utteranceOf)),
    own.heard,
    ({ from, text }): Utterance => ({ from, text }),
  ),
];

const utteranceOf = ({ member, output, error }: Completion): Utterance =>
  error === null ? { from: member, text: textOf(output) } : absence(member, error);

/** The whole conversation as one text, for members that have none themselves. */
export const inOneText = ({ input, own }: Context, call: string): string => {
  const done = inOrder(
    own.turns.flatMap(({ completions }) =>
      completions.map(({ member, output, error }) => `- ${member}: ${error ?? textOf(output)}`),
    ),
    own.heard,
    ({ from, text }) => `Message from ${from}: ${text}`,
  );
  return [
    `Request: ${textOf(input)}`,
    call,
    ...(done.length === 0 ? [] : [`Done so far:\n${done.join('\n')}`]),
  ].join('\n\n');
};
