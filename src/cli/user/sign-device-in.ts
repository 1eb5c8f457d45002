// Signs a person in where there is no browser: the command shows a code, which the person types in a browser elsewhere (RFC 8628).

import { beginDeviceSignIn, type Cabinet, CabinetError, finishDeviceSignIn } from '@cabinet/client';
import { LocalError } from './exit-codes.ts';
import { isLoopback } from './service-address.ts';
import { type Tokens, toTokens, toUnreachable } from './sign-in.ts';

export async function signDeviceIn(cabinet: Cabinet, signal: AbortSignal): Promise<Tokens> {
  const begun = await beginDeviceSignIn(cabinet).catch((error) => {
    if (error instanceof CabinetError && error.code === 'Unreachable') throw toUnreachable(cabinet, error);
    throw isRefused(error) ? new LocalError('NotRegistered', switchedOff) : error;
  });
  process.stderr.write(
    `${isLoopback(begun.url) ? onlyHere : 'Open this address in a browser, on any device:'}\n\n  ${begun.url}\n\nand type this code:\n\n  ${begun.code}\n\nWaiting until you have signed in there and allowed it…\n`,
  );
  try {
    return toTokens(await finishDeviceSignIn(cabinet, begun, { signal }));
  } catch (error) {
    throw isRefused(error) ? new CabinetError('TokenRefused', toProblem(error.message), { status: 400 }) : error;
  }
}

const onlyHere = `This address works only in a browser on the machine of the service. For a browser elsewhere, forward the port
with ssh -L, or let the operator set CABINET_PUBLIC_URL. Open it:`;

const switchedOff =
  'Sign-ins by the command line are switched off on this service. Ask its operator for an application, and use --app-key.';

function isRefused(error: unknown): error is CabinetError {
  return error instanceof CabinetError && error.code === 'TokenRefused';
}

function toProblem(message: string): string {
  if (message.startsWith('access_denied')) return 'The sign-in was refused in the browser.';
  if (/^(expired_token|invalid_grant)/.test(message))
    return 'The code has expired. Run the command again for a new one.';
  return message;
}
