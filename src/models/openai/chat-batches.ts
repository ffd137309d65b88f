/** The way in which a server takes batches: where it differs from OpenAI's, as data. An omitted field means OpenAI's way. */
export interface ChatBatches {
  /** The path of its batches. Default `/batches`. */
  readonly path?: string | undefined;
  /** The form of its requests: `jobs` takes a list of files for one model, and lists by numbered pages, as Mistral. Default `batches`. */
  readonly form?: 'batches' | 'jobs' | undefined;
  /** The path to which the file of requests is sent. Any but `/files`, the default, is sent the file's name as a field, too. */
  readonly uploads?: string | undefined;
  /** The purpose of that file. Default `batch`. */
  readonly purpose?: string | undefined;
  /** Lines of that file have no `method` and no `url`. Default false. */
  readonly bareLines?: boolean | undefined;
  /** Keeps `metadata`, by which a batch is found again. If not, any of about that time may be the one. Default true. */
  readonly marks?: boolean | undefined;
  /** Default 50,000. */
  readonly mostRequests?: number | undefined;
  /** Default 200,000,000. */
  readonly mostBytes?: number | undefined;
  /** The share of the list price that it charges, or that of a model. Default 0.5. */
  readonly priceShare?: number | ((model: string) => number) | undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isPath = (value: unknown): boolean => typeof value === 'string' && /^\/[^\s?#]+$/.test(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1;
const isShare = (value: unknown): boolean =>
  typeof value === 'function' || (typeof value === 'number' && value >= 0 && value <= 1);

const FITS: Readonly<Record<keyof ChatBatches, (value: unknown) => boolean>> = {
  path: isPath,
  form: (value) => value === 'batches' || value === 'jobs',
  uploads: isPath,
  purpose: isText,
  bareLines: isFlag,
  marks: isFlag,
  mostRequests: isCount,
  mostBytes: isCount,
  priceShare: isShare,
};

/** The description of what {@link fitsBatches} accepts. */
export const BATCHES_WANTED =
  'true or false, or an object of paths (path, uploads), a form (batches, jobs), a purpose, flags (bareLines, marks), numbers (mostRequests, mostBytes) and a priceShare from 0 to 1';

/** Checks what a profile says of batches. */
export const fitsBatches = (value: unknown): boolean => {
  if (isFlag(value)) return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([field, each]) =>
      Object.hasOwn(FITS, field) && (each === undefined || FITS[field as keyof ChatBatches](each)),
  );
};
