// `GET /spaces`.

import Type from 'typebox';
import { listSpaces } from '../../operations/list-spaces.ts';
import { json } from '../answer.ts';
import type { CallerRoute } from '../route.ts';
import { Spaces } from '../schemas.ts';
import { renderSpaces } from '../wire.ts';

export const listSpacesRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/spaces',
  action: 'read',
  async handle(_served, _exchange, caller) {
    return json(renderSpaces(listSpaces(caller)));
  },
  describe: {
    operationId: 'SpacesGet',
    summary: 'The spaces that the caller is in, with their roots',
    responses: {
      200: { description: 'The spaces', content: { 'application/json': { schema: Type.Object({ Spaces }) } } },
    },
  },
};
