import { holdStart } from '../../contracts/secrets/stream-redactor.ts';
import { redactorOf } from '../../policy/redaction.ts';
import type { Secrets } from '../../policy/redaction.ts';
import type { Publication } from './publication.ts';

/**
 * Creates a redactor of publications: by default for the secrets of the environment, and all recognisable ones; of an
 * incomplete text it also holds back an end that may become a secret.
 */
export const publicationRedactor = (
  given: Secrets | undefined,
): ((publication: Publication) => Publication) => {
  const redactor = redactorOf(given);
  return (publication) => {
    if (publication.type !== 'content' || publication.isComplete) return redactor.value(publication);
    const { text } = publication;
    return redactor.value({ ...publication, text: text.slice(0, holdStart(text, redactor)) });
  };
};
