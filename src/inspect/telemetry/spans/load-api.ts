import type * as api from '@opentelemetry/api';
import { loadPackage, rethrow } from '../../../contracts/errors/load-package.ts';

/** The parts of `@opentelemetry/api` that are used. */
export type OpenTelemetryApi = typeof api;

/** @throws (rejects with) `telemetry.package-missing` */
export const loadApi = (): Promise<OpenTelemetryApi> =>
  loadPackage(
    '@opentelemetry/api',
    () => import('@opentelemetry/api').catch(rethrow),
    'telemetry.package-missing',
  );
