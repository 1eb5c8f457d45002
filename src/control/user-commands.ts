// Commands about people.

import type { User, UserWithSpaces } from '../catalog/verbs/people.ts';
import type { SpaceAccess } from '../domain/caller.ts';
import * as people from '../operations/admin/people.ts';
import { type SetupSecret, toSetupUrl } from '../operations/setup-links.ts';
import type { CommandContext, Commands, Input } from './command.ts';
import { cabinetOf, readEnvironment, readOptionalText, readText } from './input.ts';

export const userCommands: Commands = {
  async 'user add'(context, input) {
    const cabinet = cabinetOf(context, input);
    const made = await people.addUser(cabinet, {
      id: readText(input, 'user'),
      name: readOptionalText(input, 'name'),
      password: readOptionalText(input, 'password'),
    });
    return { ...toUser(made.user), ...(made.setup !== null && toSetup(context, input, made.setup)) };
  },
  async 'user setup'(context, input) {
    const cabinet = cabinetOf(context, input);
    const { user, setup } = await people.setUpUser(cabinet, readText(input, 'user'));
    return { ...toUser(user), ...toSetup(context, input, setup) };
  },
  async 'user list'(context, input) {
    const cabinet = cabinetOf(context, input);
    return { Users: (await people.listUsers(cabinet)).map(toListed) };
  },
  async 'user disable'(context, input) {
    const cabinet = cabinetOf(context, input);
    return toUser(await people.changeUserState(cabinet, readText(input, 'user'), 'disable'));
  },
  async 'user enable'(context, input) {
    const cabinet = cabinetOf(context, input);
    return toUser(await people.changeUserState(cabinet, readText(input, 'user'), 'enable'));
  },
  async 'user password'(context, input) {
    const cabinet = cabinetOf(context, input);
    return toAdded(await people.changePassword(cabinet, readText(input, 'user'), readOptionalText(input, 'password')));
  },
  async 'user role'(context, input) {
    const cabinet = cabinetOf(context, input);
    const [id, space, role] = [readText(input, 'user'), readText(input, 'space'), readText(input, 'role')];
    return toListed(await people.changeRole(cabinet, { id, space, role }));
  },
};

function toUser({ id, name, state, createdAt }: User): object {
  return { User: id, Name: name, State: state, CreatedAt: new Date(createdAt).toISOString() };
}

function toAdded({ user, generatedPassword }: people.UserWithPassword): object {
  return { ...toUser(user), ...(generatedPassword !== null && { Password: generatedPassword }) };
}

function toSetup(context: CommandContext, input: Input, setup: SetupSecret): object {
  const publicUrl = context.publicUrlOf(readEnvironment(input));
  return { SetupUrl: toSetupUrl(publicUrl, setup), SetupExpiresAt: new Date(setup.expiresAt).toISOString() };
}

function toListed(user: UserWithSpaces): object {
  return { ...toUser(user), Roles: user.spaces.map(toRole) };
}

function toRole({ spaceName, spaceId, role }: SpaceAccess): object {
  return { Space: spaceName, SpaceId: spaceId, Role: role };
}
