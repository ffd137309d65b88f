import { randomId } from '../../../base/random-id.ts';
import { sha256 } from '../../../base/sha256.ts';

/**
 * Ids of runs that say whose they are: those of a tenant begin with a digest of its name. So each server of a store knows a foreign run
 * by its id alone, before it looks for it; a forged id is that of another tenant, or of a run that there is not.
 */
const SERVED = /^(t[0-9a-f]{24}|run)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The beginning of the ids of a tenant; without one, of those that belong to no tenant. */
const tagOf = (tenant: string | undefined): string =>
  tenant === undefined ? 'run' : `t${sha256(`tenant\n${tenant}`).slice(0, 24)}`;

/** A new id for a run of a tenant. */
export const newRunId = (tenant: string | undefined): string => `${tagOf(tenant)}-${randomId()}`;

/** The tag of the tenant in the id of a run: the same for all runs of one; undefined for a run that was not started by a server. */
export const tenantTagIn = (runId: string): string | undefined => SERVED.exec(runId)?.[1];

/** Tells by the id alone if a run is a tenant's; undefined for a run that was not started by a server. */
export const isOfTenant = (runId: string, tenant: string | undefined): boolean | undefined => {
  const tag = tenantTagIn(runId);
  return tag === undefined ? undefined : tag === tagOf(tenant);
};
