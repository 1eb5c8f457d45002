// Commands about groups of people.

import type { Group } from '../catalog/verbs/groups.ts';
import * as groups from '../operations/admin/groups.ts';
import type { Commands, Input } from './command.ts';
import { cabinetOf, readOptionalWords, readText } from './input.ts';

export const groupCommands: Commands = {
  async 'group list'(context, input) {
    const space = readText(input, 'space');
    const listed = await groups.listGroups(cabinetOf(context, input), space);
    return { Groups: listed.map((group) => toShown(space, group)) };
  },
  async 'group show'(context, input) {
    const named = readNamed(input);
    return toShown(named.space, await groups.showGroup(cabinetOf(context, input), named));
  },
  async 'group add'(context, input) {
    const named = readNamed(input);
    const members = readOptionalWords(input, 'members') ?? [];
    return toShown(named.space, await groups.addGroup(cabinetOf(context, input), { ...named, members }));
  },
  async 'group change'(context, input) {
    const named = readNamed(input);
    const [add, remove] = [readOptionalWords(input, 'add') ?? [], readOptionalWords(input, 'remove') ?? []];
    return toShown(named.space, await groups.changeGroup(cabinetOf(context, input), { ...named, add, remove }));
  },
  async 'group remove'(context, input) {
    const named = readNamed(input);
    return toShown(named.space, await groups.removeGroup(cabinetOf(context, input), named));
  },
};

function readNamed(input: Input): { space: string; name: string } {
  return { space: readText(input, 'space'), name: readText(input, 'group') };
}

function toShown(space: string, { name, members }: Group): object {
  return { Space: space, Name: name, Members: members };
}
