// `/applications/{appKey}/certificates`: the certificates of a server-based application of the space.

import { readLeaf } from '../../certificates/certificates.ts';
import * as applications from '../../operations/manage-applications.ts';
import { json } from '../answer.ts';
import { headers, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { exampleCertificate, examplePem } from '../openapi/managing-examples.ts';
import { AddCertificate, Certificate, Certificates } from '../openapi/managing-schemas.ts';
import { compileCheck } from '../openapi/schemas.ts';
import type { CallerRoute } from '../route.ts';
import { renderCertificate, renderCertificates } from '../wire-managing.ts';
import { readManageBody } from './manage-body.ts';

const path = '/v1/contentmanagement/applications/{appKey}/certificates';
const appKey = pathId('The AppKey of the application', 'appKey');
const shown = (description: string) => ({
  200: jsonAnswer(description, { schema: Certificate, example: exampleCertificate }),
});

export const listCertificatesRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'read',
  async handle({ cabinet }, { parameters }, caller) {
    return json(renderCertificates(await applications.listCertificates(cabinet, caller, parameters.appKey ?? '')));
  },
  describe: {
    operationId: 'CertificatesGet',
    tag: 'Managing',
    summary: 'List the certificates of an application',
    description: 'Only applications of kind `server` have certificates.',
    parameters: [appKey, headers.spaceId],
    responses: {
      200: jsonAnswer('The certificates', { schema: Certificates, example: { Certificates: [exampleCertificate] } }),
    },
    refusals: ['ApplicationNotFound'],
  },
};

const checkAdd = compileCheck(AddCertificate);

export const addCertificateRoute: CallerRoute = {
  method: 'POST',
  path,
  action: 'manage',
  async handle({ cabinet }, exchange, caller) {
    const appKey = exchange.parameters.appKey ?? '';
    await applications.admitTakeover(cabinet, caller, appKey);
    const { fields, current } = await readManageBody(exchange, caller, {
      check: checkAdd,
      example: '{"Certificate": "-----BEGIN CERTIFICATE-----…"}',
    });
    const request = { appKey, certificate: readLeaf(fields.Certificate, cabinet.clock.now()) };
    return json(renderCertificate(await applications.addCertificate(cabinet, current, request)));
  },
  describe: {
    operationId: 'CertificatesAdd',
    tag: 'Managing',
    summary: 'Register another certificate of an application',
    description: 'For applications of kind `server`. A certificate belongs to one application.',
    parameters: [appKey, headers.spaceId],
    requestBody: jsonBody('The certificate, in PEM', AddCertificate, { Certificate: examplePem }),
    responses: shown('The certificate, with its thumbprint'),
    refusals: ['ApplicationNotFound', 'NameAlreadyExists'],
  },
};

export const removeCertificateRoute: CallerRoute = {
  method: 'DELETE',
  path: `${path}/{thumbprint}`,
  action: 'manage',
  async handle({ cabinet }, { parameters }, caller) {
    const request = { appKey: parameters.appKey ?? '', thumbprint: parameters.thumbprint ?? '' };
    return json(renderCertificate(await applications.removeCertificate(cabinet, caller, request)));
  },
  describe: {
    operationId: 'CertificatesRemove',
    tag: 'Managing',
    summary: 'Remove a certificate of an application',
    description:
      'It is refused within a second, also on open connections. An application cannot remove its own last one.',
    parameters: [appKey, pathId('The thumbprint of the certificate, as `GET` lists it', 'thumbprint'), headers.spaceId],
    responses: shown('The certificate that is refused from now on'),
    refusals: ['ApplicationNotFound', 'CertificateNotFound'],
  },
};
