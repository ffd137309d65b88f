import { TroupeError } from '../../contracts/errors/error.ts';
import { profileAt, profileNamed } from './chat-profiles.ts';
import { addressOf, isOpenAI, type OpenAIChatOptions } from './openai-chat-model.ts';

/**
 * Checks that the server of a model takes batches, in OpenAI's form.
 *
 * @throws {TroupeError} `input.invalid` if it is not known to, or for a stream of what arrives whole.
 */
export const checkBatched = (id: string, options: OpenAIChatOptions): void => {
  if (options.stream === true)
    throw new TroupeError(
      'input.invalid',
      `Cannot define the model '${id}' as its options \`batch\` and \`stream\` exclude each other: an answer of a batch arrives whole`,
    );
  const named = options.profile === undefined ? undefined : profileNamed(options.profile);
  const address = addressOf(options, named);
  const { name, batches = isOpenAI(name, address) } = named ?? profileAt(address);
  if (!batches)
    throw new TroupeError(
      'input.invalid',
      `Cannot define the model '${id}' by batches as '${name}' is not known to take them in OpenAI's form: leave \`batch\` out, or give a profile with \`batches: true\``,
    );
};
