import {
  aBoolean,
  aBound,
  aTime,
  formOr,
  optional,
  optionsSchema,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import type { ProviderOptions } from '../wire/provider-options.ts';
import { type MakeModel, sdkModel } from '../wire/sdk-model.ts';
import type { AskByBatch } from './ask-by-batch.ts';
import type { BatchService } from './batch-service.ts';
import type { Batching } from './batching.ts';

/**
 * Reads the option `batch` of a model: makes one whose calls go into batches, at a share of the list price, or undefined without it. What does
 * that is loaded on the first call.
 *
 * @throws {TroupeError} `input.invalid` if the option does not fit.
 */
export const byBatchOf = <Client>(
  id: string,
  options: Pick<ProviderOptions, 'batch'>,
  load: () => Promise<(client: Client, who: ErrorContext) => BatchService>,
  priceShare = BATCH_PRICE_SHARE,
): MakeModel<Client> | undefined => {
  const { batch = false } = check({ batch: { ...options }.batch }, `the model '${id}'`);
  if (batch === false) return undefined;
  let asking: Promise<AskByBatch<Client>> | undefined;
  const askingFor = async (who: ErrorContext): Promise<AskByBatch<Client>> => {
    const [{ askByBatch }, serviceOf] = await Promise.all([import('./ask-by-batch.ts'), load()]);
    return askByBatch<Client>(who, batch === true ? {} : batch, (client) => serviceOf(client, who));
  };
  return (api) => {
    const protocol: typeof api.protocol = async () => {
      const plain = await api.protocol();
      asking ??= askingFor({ provider: api.provider, model: api.id, codes: plain.codes });
      return (await asking)(plain);
    };
    return Object.assign(sdkModel({ ...api, protocol }), { priceShare });
  };
};

/**
 * The share of the list price that both vendors charge for a batch, whatever the kind of token: "50%" (platform.openai.com/docs/guides/batch,
 * platform.claude.com/docs/en/build-with-claude/batch-processing, "Pricing").
 */
const BATCH_PRICE_SHARE = 0.5;

const check = optionsCheck<Pick<ProviderOptions, 'batch'>>(
  { code: 'input.invalid', owner: 'a model' },
  () => ({
    batch: optional(
      formOr(
        (given) => typeof given !== 'object',
        aBoolean(),
        optionsSchema<Batching>({
          windowMs: optional(aBound(0)),
          size: optional(wholeNumber(1)),
          pollMs: optional(aTime()),
          timeoutMs: optional(aTime()),
        }),
      ),
    ),
  }),
);
