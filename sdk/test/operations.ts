// Which function asks for which operation of the description.

import * as client from '../src/cabinet.ts';
import type { Operations } from '../src/description.ts';

export interface Call {
  functionName: keyof typeof client;
  call: (cabinet: client.Cabinet) => Promise<unknown>;
}

function by(functionName: Call['functionName'], call: Call['call']): Call {
  return { functionName, call };
}

const id = 'an-id';
const appKey = 'ak_other';
const principal = 'user:alice';
const version = 2;
const secret = 'a-secret';

function sendByLink({ url, fetch }: client.Cabinet, resume?: string): Promise<unknown> {
  return client.openSharedLink(`${url}/s/${secret}`, { fetch }).send({ name: 'a', content: 'a' }, { resume });
}

export const calls: Partial<Record<keyof Operations, Call>> = {
  'POST /folders': by('createFolder', (c) => client.createFolder(c, { name: 'a' })),
  'GET /folders': by('findFolder', (c) => client.findFolder(c, '/a')),
  'GET /folders/{id}': by('listChildren', (c) => client.listChildren(c, id).next()),
  'GET /folders/{id}/archive': by('openArchive', (c) => client.openArchive(c, id)),
  'POST /archive': by('openSelection', (c) => client.openSelection(c, [id])),
  'POST /files': by('saveFile', (c) => client.saveFile(c, { name: 'a', content: 'a' })),
  'POST /files/batch': by('saveFiles', (c) => client.saveFiles(c, { files: [{ name: 'a', content: 'a' }] })),
  'GET /files': by('findFile', (c) => client.findFile(c, '/a')),
  'GET /uploads/{id}': by('showUpload', (c) => client.showUpload(c, id)),
  'PATCH /uploads/{id}': by('saveFile', (c) => client.saveFile(c, { name: 'a', content: 'a', resume: id })),
  'DELETE /uploads/{id}': by('removeUpload', (c) => client.removeUpload(c, id)),
  'GET /entries/{id}': by('showEntry', (c) => client.showEntry(c, id)),
  'GET /entries/{id}/locks': by('listLocks', (c) => client.listLocks(c, id)),
  'GET /entries/{id}/access': by('listAccess', (c) => client.listAccess(c, id).next()),
  'PUT /entries/{id}/access/{principal}': by('grantAccess', (c) =>
    client.grantAccess(c, { id, principal, role: 'viewer' }),
  ),
  'DELETE /entries/{id}/access/{principal}': by('revokeAccess', (c) => client.revokeAccess(c, { id, principal })),
  'GET /shared-with-me': by('listSharedWithMe', (c) => client.listSharedWithMe(c).next()),
  'GET /groups': by('listGroups', (c) => client.listGroups(c).next()),
  'POST /groups': by('addGroup', (c) => client.addGroup(c, { name: 'legal', members: [id] })),
  'PATCH /groups/{name}': by('changeGroup', (c) => client.changeGroup(c, { name: 'legal', add: [id] })),
  'DELETE /groups/{name}': by('removeGroup', (c) => client.removeGroup(c, 'legal')),
  'POST /entries/{id}/shares': by('addShare', (c) => client.addShare(c, { entry: id, access: 'read' })),
  'GET /entries/{id}/shares': by('listEntryShares', (c) => client.listEntryShares(c, id).next()),
  'GET /shares': by('listShares', (c) => client.listShares(c).next()),
  'GET /shares/{id}': by('showShare', (c) => client.showShare(c, id)),
  'PATCH /shares/{id}': by('changeShare', (c) => client.changeShare(c, { id, maxDownloads: 3 })),
  'DELETE /shares/{id}': by('revokeShare', (c) => client.revokeShare(c, id)),
  'GET /shared/{secret}': by('sharedPage', (c) => client.sharedPage(c, { secret })),
  'GET /shared/{secret}/folders/{id}': by('sharedFolderPage', (c) => client.sharedFolderPage(c, { secret, id })),
  'GET /shared/{secret}/files/{id}/content': by('openSharedFile', (c) => client.openSharedFile(c, { secret, id })),
  'GET /shared/{secret}/archive': by('openSharedArchive', (c) => client.openSharedArchive(c, { secret })),
  'POST /shared/{secret}/files': by('sendShared', (c) => client.sendShared(c, { secret, name: 'a', content: 'a' })),
  'POST /shared/{secret}/uploads': by('openSharedLink', (c) => sendByLink(c)),
  'GET /shared/{secret}/uploads/{id}': by('openSharedLink', (c) => sendByLink(c, id)),
  'PATCH /shared/{secret}/uploads/{id}': by('openSharedLink', (c) => sendByLink(c, id)),
  'DELETE /shared/{secret}/uploads/{id}': by('openSharedLink', (c) => sendByLink(c, id)),
  'PATCH /entries/{id}': by('changeEntry', (c) => client.changeEntry(c, { id, name: 'b' })),
  'DELETE /entries/{id}': by('deleteEntry', (c) => client.deleteEntry(c, { id })),
  'POST /entries/{id}/copy': by('copyEntry', (c) => client.copyEntry(c, { id })),
  'POST /entries/{id}/restore': by('restoreEntry', (c) => client.restoreEntry(c, { id })),
  'POST /entries/batch': by('changeEntries', (c) => client.changeEntries(c, { action: 'trash', ids: [id] })),
  'GET /jobs/{id}': by('showJob', (c) => client.showJob(c, id)),
  'GET /trash': by('listTrash', (c) => client.listTrash(c).next()),
  'DELETE /trash': by('emptyTrash', (c) => client.emptyTrash(c)),
  'GET /files/{id}/content': by('openFile', (c) => client.openFile(c, id)),
  'GET /files/{id}/preview': by('readPreview', (c) => client.readPreview(c, id)),
  'GET /files/{id}/thumbnail': by('readThumbnail', (c) => client.readThumbnail(c, id)),
  'PUT /files/{id}/content': by('saveVersion', (c) => client.saveVersion(c, { id, content: 'a' })),
  'POST /files/{id}/link': by('createLink', (c) => client.createLink(c, { id })),
  'DELETE /files/{id}/link': by('endLinks', (c) => client.endLinks(c, { id })),
  'GET /files/{id}/versions': by('listVersions', (c) => client.listVersions(c, id).next()),
  'POST /files/{id}/versions/{version}/restore': by('restoreVersion', (c) => client.restoreVersion(c, { id, version })),
  'DELETE /files/{id}/versions/{version}': by('removeVersion', (c) => client.removeVersion(c, { id, version })),
  'PATCH /files/{id}/versions/{version}': by('commentVersion', (c) =>
    client.commentVersion(c, { id, version, comment: null }),
  ),
  'GET /changes': by('followChanges', (c) => client.followChanges(c).next()),
  'GET /search': by('search', (c) => client.search(c, 'word').next()),
  'GET /me': by('showAccount', (c) => client.showAccount(c)),
  'PUT /me/password': by('changePassword', (c) => client.changePassword(c, { current: 'a', replacement: 'b' })),
  'GET /me/sessions': by('listSessions', (c) => client.listSessions(c).next()),
  'DELETE /me/sessions/{id}': by('endSession', (c) => client.endSession(c, id)),
  'DELETE /me/sessions': by('endSessions', (c) => client.endSessions(c)),
  'GET /me/consents': by('listConsents', (c) => client.listConsents(c).next()),
  'DELETE /me/consents/{appKey}': by('endConsent', (c) => client.endConsent(c, id)),
  'GET /me/app-passwords': by('listAppPasswords', (c) => client.listAppPasswords(c).next()),
  'POST /me/app-passwords': by('addAppPassword', (c) => client.addAppPassword(c, { name: 'a', access: 'read' })),
  'DELETE /me/app-passwords/{id}': by('removeAppPassword', (c) => client.removeAppPassword(c, id)),
  'GET /me/second-factors': by('showSecondFactors', (c) => client.showSecondFactors(c)),
  'POST /me/second-factors/totp/setup': by('beginTotp', (c) => client.beginTotp(c, { password: 'a' })),
  'POST /me/second-factors/totp': by('addTotp', (c) => client.addTotp(c, { setup: 'a', code: '1', name: 'a' })),
  'POST /me/second-factors/passkeys/setup': by('beginPasskey', (c) => client.beginPasskey(c, { password: 'a' })),
  'POST /me/second-factors/passkeys': by('addPasskey', (c) =>
    client.addPasskey(c, { setup: 'a', credential: { id: 'a' }, name: 'a' }),
  ),
  'POST /me/second-factors/recovery-codes': by('renewRecoveryCodes', (c) =>
    client.renewRecoveryCodes(c, { password: 'a' }),
  ),
  'POST /me/second-factors/{id}/remove': by('removeSecondFactor', (c) =>
    client.removeSecondFactor(c, id, { password: 'a' }),
  ),
  'GET /me/starred': by('listStarred', (c) => client.listStarred(c).next()),
  'PUT /me/starred/{entryId}': by('starEntry', (c) => client.starEntry(c, id)),
  'DELETE /me/starred/{entryId}': by('unstarEntry', (c) => client.unstarEntry(c, id)),
  'GET /me/recent': by('listRecent', (c) => client.listRecent(c).next()),
  'GET /spaces': by('listSpaces', (c) => client.listSpaces(c)),
  'POST /spaces': by('addSpace', (c) => client.addSpace(c, { name: 'a' })),
  'GET /spaces/{id}': by('showSpace', (c) => client.showSpace(c, id)),
  'PATCH /spaces/{id}': by('renameSpace', (c) => client.renameSpace(c, { id, name: 'b' })),
  'GET /applications': by('listApplications', (c) => client.listApplications(c).next()),
  'POST /applications': by('addApplication', (c) => client.addApplication(c, { name: 'a' })),
  'GET /applications/{appKey}': by('showApplication', (c) => client.showApplication(c, appKey)),
  'PATCH /applications/{appKey}': by('changeApplication', (c) =>
    client.changeApplication(c, { appKey, state: 'disabled' }),
  ),
  'DELETE /applications/{appKey}': by('removeApplication', (c) => client.removeApplication(c, appKey)),
  'POST /applications/{appKey}/rotate': by('rotateSecret', (c) => client.rotateSecret(c, { appKey })),
  'GET /applications/{appKey}/certificates': by('listCertificates', (c) => client.listCertificates(c, appKey)),
  'POST /applications/{appKey}/certificates': by('addCertificate', (c) =>
    client.addCertificate(c, { appKey, certificate: 'PEM' }),
  ),
  'DELETE /applications/{appKey}/certificates/{thumbprint}': by('removeCertificate', (c) =>
    client.removeCertificate(c, { appKey, thumbprint: 't' }),
  ),
  'GET /users': by('listUsers', (c) => client.listUsers(c).next()),
  'POST /users': by('addUser', (c) => client.addUser(c, { id, role: 'viewer' })),
  'GET /users/{id}': by('showUser', (c) => client.showUser(c, id)),
  'POST /users/{id}/setup': by('setUpUser', (c) => client.setUpUser(c, id)),
  'PATCH /users/{id}': by('changeUser', (c) => client.changeUser(c, { id, role: 'editor' })),
  'DELETE /users/{id}': by('removeUser', (c) => client.removeUser(c, id)),
  'GET /webhooks': by('listWebhooks', (c) => client.listWebhooks(c).next()),
  'POST /webhooks': by('addWebhook', (c) => client.addWebhook(c, { url: 'https://a.example/', events: ['*'] })),
  'GET /webhooks/{id}': by('showWebhook', (c) => client.showWebhook(c, id)),
  'PATCH /webhooks/{id}': by('changeWebhook', (c) => client.changeWebhook(c, { id, state: 'paused' })),
  'DELETE /webhooks/{id}': by('removeWebhook', (c) => client.removeWebhook(c, id)),
  'POST /webhooks/{id}/rotate': by('rotateWebhook', (c) => client.rotateWebhook(c, { id })),
  'POST /webhooks/{id}/test': by('testWebhook', (c) => client.testWebhook(c, id)),
  'GET /webhooks/{id}/deliveries': by('listDeliveries', (c) => client.listDeliveries(c, id).next()),
  'POST /webhooks/{id}/replay': by('replayWebhook', (c) => client.replayWebhook(c, { id, from: 1 })),
  'GET /audit': by('listAudit', (c) => client.listAudit(c).next()),
  'GET /usage': by('showUsage', (c) => client.showUsage(c)),
  'GET /limits': by('showLimits', (c) => client.showLimits(c)),
  'GET /settings': by('showSettings', (c) => client.showSettings(c)),
  'GET {base}/health/live': by('showLiveness', (c) => client.showLiveness(c)),
  'GET {base}/health/ready': by('showReadiness', (c) => client.showReadiness(c)),
  'GET {base}/metrics': by('readMetrics', (c) => client.readMetrics(c)),
  'GET {base}/openapi.json': by('readDescription', (c) => client.readDescription(c)),
  'POST {base}/oauth2/token': by('applicationToken', (c) =>
    client.applicationToken({ secret: 's' })({ cabinet: c, refused: null }),
  ),
  'POST {base}/oauth2/device': by('beginDeviceSignIn', (c) => client.beginDeviceSignIn(c)),
  'POST {base}/oauth2/revoke': by('revokeToken', (c) => client.revokeToken(c, 'token')),
  'GET {base}/oauth2/jwks': by('readKeys', (c) => client.readKeys(c)),
  'GET {base}/.well-known/oauth-authorization-server': by('showIssuer', (c) => client.showIssuer(c)),
  'GET {base}/.well-known/openid-configuration': by('showOpenIdIssuer', (c) => client.showOpenIdIssuer(c)),
};
