import { redactor, secretsIn } from '../../policy/redaction.ts';
import type { Secrets } from '../../policy/redaction.ts';
import type { Publication } from './publication.ts';
import { publicationSchema } from './publication.ts';
import { heldBack } from './held-back.ts';

/** The secrets that nobody outside may see: those given, else the environment's. */
export const secretsOf = (secrets: Secrets | undefined): Secrets => secrets ?? secretsIn(process.env);

/** Takes secrets out of publications; of a text that is not complete, also an end that may become one. */
export const clearing = (given: Secrets | undefined): ((publication: Publication) => Publication) => {
  const secrets = secretsOf(given);
  if (Object.keys(secrets).length === 0) return (publication) => publication;
  const redact = redactor(secrets);
  const hold = heldBack(secrets);
  return (publication) => {
    const shown =
      publication.type === 'content' && !publication.isComplete
        ? {
            ...publication,
            text: publication.text.slice(0, publication.text.length - hold(publication.text)),
          }
        : publication;
    const before = JSON.stringify(shown);
    const after = redact(before);
    return after === before ? shown : publicationSchema.parse(JSON.parse(after));
  };
};
