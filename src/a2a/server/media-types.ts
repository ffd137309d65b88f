import type { Message } from '@a2a-js/sdk';
import { isAmong } from '../../contracts/content/media-type.ts';
import { modesOf } from './agent-card.ts';
import type { AgentRequest } from './agent-request.ts';

/** Refuses a file of a media type that the card does not name. A text is one, whatever type is said of it. @throws `ContentTypeNotSupportedError` */
export const assertTaken = ({ parts }: Message, { inputModes, loaded }: AgentRequest): void => {
  const patterns = patternsOf(inputModes);
  for (const { content, mediaType } of parts) {
    const isFile = content?.$case === 'raw' || content?.$case === 'url';
    if (!isFile || mediaType === '' || isAmong(plainType(mediaType), patterns)) continue;
    throw new loaded.errors.ContentTypeNotSupportedError(
      `Cannot take a part of ${mediaType.slice(0, 100)}: this agent takes ${inputModes.join(', ')}`,
    );
  }
};

/** Refuses a client that takes no media type in which the agent answers. @throws `ContentTypeNotSupportedError` */
export const assertGiven = (wanted: readonly string[], { agent, loaded }: AgentRequest): void => {
  const { output } = modesOf(agent);
  const patterns = patternsOf(wanted);
  if (wanted.length === 0 || output.some((given) => isAmong(given, patterns) || patterns.includes('text')))
    return;
  throw new loaded.errors.ContentTypeNotSupportedError(
    `Cannot answer in ${wanted.slice(0, 10).join(', ')}: this agent answers in ${output.join(', ')}`,
  );
};

const patternsOf = (types: readonly string[]): readonly string[] =>
  types.map((each) => (each === '*/*' ? '*' : each));

/** A media type without its parameters. */
export const plainType = (type: string): string => {
  const [plain = ''] = type.split(';', 1);
  return plain.trim().toLowerCase();
};
