// `GET /settings`: the running version and its effective configuration.

import { showSettings } from '../../operations/show-settings.ts';
import { json } from '../answer.ts';
import { headers, jsonAnswer } from '../openapi/description.ts';
import { exampleServiceInfo } from '../openapi/managing-examples.ts';
import { ServiceInfo } from '../openapi/managing-schemas.ts';
import type { CallerRoute } from '../route.ts';
import { renderServiceInfo } from '../wire-managing.ts';

export const showSettingsRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/settings',
  action: 'manage',
  async handle({ serviceInfo }, _exchange, caller) {
    return json(renderServiceInfo(showSettings(caller, serviceInfo)));
  },
  describe: {
    operationId: 'SettingsGet',
    tag: 'Service',
    summary: 'Show the version and the settings in use',
    description:
      'What `cabinet config` shows, of the node that answers, for an application that operators registered with ' +
      '`content.admin`. Managers, and applications that they registered, see the settings that affect what they may ' +
      'do. Secrets, and passwords in addresses, are hidden.',
    parameters: [headers.spaceId],
    responses: { 200: jsonAnswer('What is in force', { schema: ServiceInfo, example: exampleServiceInfo }) },
    refusals: [],
  },
};
