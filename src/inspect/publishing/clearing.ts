import { heldFrom } from '../../contracts/secrets/stream-redactor.ts';
import { redactorOf } from '../../policy/redaction.ts';
import type { Secrets } from '../../policy/redaction.ts';
import type { Publication } from './publication.ts';

/**
 * Takes secrets out of publications, by default those of the environment, and all that are known by their looks; of a text that is
 * not complete, also an end that may become one.
 */
export const clearing = (given: Secrets | undefined): ((publication: Publication) => Publication) => {
  const redactor = redactorOf(given);
  return (publication) => {
    if (publication.type !== 'content' || publication.isComplete) return redactor.value(publication);
    const { text } = publication;
    return redactor.value({ ...publication, text: text.slice(0, heldFrom(text, redactor)) });
  };
};
