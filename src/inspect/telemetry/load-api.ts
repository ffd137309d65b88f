import type * as api from '@opentelemetry/api';
import { loadPackage } from '../../models/load-package.ts';

/** What is used of `@opentelemetry/api`. */
export type OpenTelemetryApi = typeof api;

/** @throws (rejects with) `telemetry.package-missing` */
export const loadApi = (): Promise<OpenTelemetryApi> =>
  loadPackage('@opentelemetry/api', () => import('@opentelemetry/api'), 'telemetry.package-missing');
