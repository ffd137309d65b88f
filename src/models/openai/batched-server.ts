import { TroupeError } from '../../contracts/errors/error.ts';
import type { ChatBatches } from './chat-batches.ts';
import type { ChatProfile } from './chat-profile.ts';
import { chatProfiles, profileAt, profileNamed } from './chat-profiles.ts';
import { addressOf, isOpenAI, type OpenAIChatOptions } from './openai-chat-model.ts';

/**
 * The way in which the server of a model takes batches.
 *
 * @throws {TroupeError} `input.invalid` if it is not known to, or for a stream of what arrives whole.
 */
export const batchesOfServer = (id: string, options: OpenAIChatOptions): ChatBatches => {
  if (options.stream === true)
    throw new TroupeError(
      'input.invalid',
      `Cannot define the model '${id}' as its options \`batch\` and \`stream\` exclude each other: an answer of a batch arrives whole`,
    );
  const named = options.profile === undefined ? undefined : profileNamed(options.profile);
  const address = addressOf(options, named);
  const { name, batches = isOpenAI(name, address) } = named ?? profileAt(address);
  if (batches === false)
    throw new TroupeError(
      'input.invalid',
      `Cannot define the model '${id}' by batches as '${name}' is not known to take them, as do OpenAI, ${profilesWithBatches().join(', ')}: leave \`batch\` out, or give a profile with \`batches\``,
    );
  return batches === true ? {} : batches;
};

/** The share of the list price that the batches of a model cost. */
export const batchShareOf = ({ priceShare = 0.5 }: ChatBatches, id: string): number =>
  typeof priceShare === 'number' ? priceShare : priceShare(id);

const profilesWithBatches = (): readonly string[] =>
  Object.values<ChatProfile>(chatProfiles).flatMap(({ name, batches = false }) =>
    batches === false ? [] : [name],
  );
