// A service for the interface suite: started on a temporary folder, with the applications that the suite acts as. Requests
// are counted, and compared with the description when it is closed.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addApplication, command } from '../service/operator.ts';
import { type Environment, type Started, startService } from '../service/service.ts';
import { fetchToken } from './client.ts';
import { fetchDescription, readChecked } from './description.ts';
import type { Application, Applications, Target } from './target.ts';

const readyWithinMs = 180_000;

export interface OwnTarget {
  environment: { CABINET_TARGET: string; CABINET_DESCRIBED: string };
  /** Resolves to what was wrong with it. */
  close(options?: { isWhole: boolean }): Promise<string[]>;
}

export async function openTarget(stores: Environment): Promise<OwnTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-interface-'));
  const dataFolder = join(folder, 'data');
  // Several HTTP threads, where there can be: whatever is said of the service must hold whichever of them answers.
  const CABINET_HTTP_THREADS = 'CABINET_CATALOG' in stores ? '1' : '2';
  const environment = {
    ...{ ...stores, CABINET_HTTP_THREADS, CABINET_TEST_PORT: '0', CABINET_MTLS_PORT: '0' },
    // Where the receivers of the tests listen.
    CABINET_WEBHOOK_NETWORKS: '127.0.0.1',
  };
  const service = await startService(dataFolder, { environment, readyWithinMs });
  const addresses = { Production: service.production, Test: service.test as string };
  const target: Target = { ...addresses, Applications: await register(dataFolder, addresses) };
  const described = join(folder, 'described');
  writeFileSync(described, '');
  return {
    environment: { CABINET_TARGET: JSON.stringify(target), CABINET_DESCRIBED: described },
    async close({ isWhole } = { isWhole: true }) {
      const problems = [...(await findUndescribed(target, described, isWhole)), ...(await stop(service))];
      if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
      return problems;
    },
  };
}

async function register(dataFolder: string, { Production }: { Production: string }): Promise<Applications> {
  const add = async (name: string, more: Record<string, string> = {}): Promise<Application> => ({
    Name: name,
    ...(await addApplication(dataFolder, name, more)),
  });
  const space = 'interface-shared';
  const Main = await add('interface-main', { space, scopes: 'content.read content.write' });
  const Neighbour = await add('interface-neighbour', { space, scopes: 'content.read content.write' });
  const Reader = await add('interface-reader', { space, scopes: 'content.read' });
  const Stranger = await add('interface-stranger');
  const Administrator = await add('interface-administrator', { scopes: 'content.read content.write content.admin' });
  const Tester = await add('interface-tester', { env: 'test' });
  const Solo = await add('interface-solo');
  const Disabled = await add('interface-disabled');
  const Token = await fetchToken(Production, Disabled);
  await command(dataFolder, 'app disable', { application: Disabled.AppKey });
  return { Main, Neighbour, Reader, Stranger, Administrator, Tester, Solo, Disabled: { ...Disabled, Token } };
}

/** No response was compared with the description, or the whole suite never used a described operation. */
export async function findUndescribed({ Production }: Target, path: string, isWhole: boolean): Promise<string[]> {
  const { checked, covered } = readChecked(path);
  const { operations } = await fetchDescription(Production);
  const missed = operations.filter((operation) => !covered.has(operation));
  console.log(`${checked} answers are as the description says, of ${covered.size} of ${operations.length} operations`);
  if (checked === 0) return ['no answer was held to the description'];
  return isWhole && missed.length > 0 ? [`never used: ${missed.join(', ')}`] : [];
}

/** SIGTERM must end the service by itself, with exit code 0. */
async function stop(service: Started): Promise<string[]> {
  const code = await service.stop();
  return code === 0 ? [] : [`the service ended with ${service.process.signalCode ?? code}: ${service.errors()}`];
}
