// The texts of the pages for signing in and out. Values that are put into them are escaped by the pages.

import { chooseLanguage } from '../domain/language.ts';

const en = {
  language: 'en',
  over: 'This page belongs to a sign-in that is over or was begun in another browser.',
  tooMany: (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
  signIn: {
    title: 'Sign in',
    again: 'Sign in: try again',
    heading: (application: string) => `Sign in to ${application}`,
    choose: (application: string) => `Choose an account for ${application}`,
    user: 'User',
    password: 'Password',
    button: 'Sign in',
    goOnAs: (name: string) => `Continue as ${name}`,
    orOther: 'Or sign in with another account:',
    wrong: 'The user or the password is not right.',
    late: 'That took too long. Sign in again.',
  },
  secondStep: {
    title: 'Second step',
    again: 'Second step: try again',
    heading: 'One more step',
    codeOrRecovery: 'Code of your authenticator app, or a recovery code',
    recovery: 'Recovery code',
    passkeyProblem: 'The passkey did not work. Try again, or use a code.',
    passkey: 'Use your passkey',
    without: 'Or without it:',
    wrong: 'This is not right.',
  },
  setUp: {
    title: 'Set up a second step',
    again: 'Set up a second step: try again',
    help: 'Signing in here needs more than a password. Open an authenticator app, add an account, and scan this picture, or enter the key:',
    picture: 'QR code with the key',
    onPhone: (link: (text: string) => string) => `On a phone, ${link('open the app with the key')}.`,
    code: 'Code that the app shows',
    button: 'Go on',
  },
  recoveryCodes: {
    title: 'Recovery codes',
    heading: 'Keep these recovery codes',
    help: 'Each of them replaces the app once, when you don’t have it at hand. They are not shown again.',
    button: 'I have kept them',
  },
  signOut: {
    title: 'Sign out',
    heading: 'Do you want to sign out?',
    button: 'Sign out',
    stay: 'Stay signed in',
    done: 'Signed out',
    doneHeading: 'You are signed out.',
    doneHelp: 'You can close this page.',
  },
  trouble: {
    title: 'This did not work',
    heading: 'This did not work.',
    help: 'Go back to the application and begin again. If it stays, tell its makers what is written here.',
  },
};

export type AuthWords = typeof en;

const de: AuthWords = {
  language: 'de',
  over: 'Diese Seite gehört zu einer Anmeldung, die vorbei ist oder in einem anderen Browser begonnen wurde.',
  tooMany: (seconds) => `Zu viele Versuche. Versuchen Sie es in ${seconds} Sekunden noch einmal.`,
  signIn: {
    title: 'Anmelden',
    again: 'Anmelden: noch einmal',
    heading: (application) => `Bei ${application} anmelden`,
    choose: (application) => `Konto für ${application} wählen`,
    user: 'Benutzer',
    password: 'Passwort',
    button: 'Anmelden',
    goOnAs: (name) => `Weiter als ${name}`,
    orOther: 'Oder mit einem anderen Konto anmelden:',
    wrong: 'Benutzer oder Passwort stimmt nicht.',
    late: 'Das hat zu lange gedauert. Melden Sie sich noch einmal an.',
  },
  secondStep: {
    title: 'Zweiter Schritt',
    again: 'Zweiter Schritt: noch einmal',
    heading: 'Noch ein Schritt',
    codeOrRecovery: 'Code Ihrer Authenticator-App oder ein Wiederherstellungscode',
    recovery: 'Wiederherstellungscode',
    passkeyProblem: 'Mit dem Passkey ging es nicht. Versuchen Sie es noch einmal, oder nehmen Sie einen Code.',
    passkey: 'Passkey benutzen',
    without: 'Oder ohne ihn:',
    wrong: 'Das stimmt nicht.',
  },
  setUp: {
    title: 'Zweiten Schritt einrichten',
    again: 'Zweiten Schritt einrichten: noch einmal',
    help: 'Zur Anmeldung gehört hier mehr als ein Passwort. Öffnen Sie eine Authenticator-App, fügen Sie ein Konto hinzu und scannen Sie dieses Bild, oder geben Sie den Schlüssel ein:',
    picture: 'QR-Code mit dem Schlüssel',
    onPhone: (link) => `Auf einem Telefon: ${link('die App mit dem Schlüssel öffnen')}.`,
    code: 'Code, den die App zeigt',
    button: 'Weiter',
  },
  recoveryCodes: {
    title: 'Wiederherstellungscodes',
    heading: 'Bewahren Sie diese Wiederherstellungscodes auf',
    help: 'Jeder ersetzt einmal die App, wenn Sie sie nicht zur Hand haben. Sie werden nicht noch einmal gezeigt.',
    button: 'Ich habe sie aufbewahrt',
  },
  signOut: {
    title: 'Abmelden',
    heading: 'Möchten Sie sich abmelden?',
    button: 'Abmelden',
    stay: 'Angemeldet bleiben',
    done: 'Abgemeldet',
    doneHeading: 'Sie sind abgemeldet.',
    doneHelp: 'Sie können diese Seite schließen.',
  },
  trouble: {
    title: 'Das ging nicht',
    heading: 'Das ging nicht.',
    help: 'Gehen Sie zurück zur Anwendung und beginnen Sie noch einmal. Bleibt es so, sagen Sie ihren Herstellern, was hier steht.',
  },
};

/** English for pages that no browser requested. */
export const usualWords: AuthWords = en;

export function chooseAuthWords(acceptLanguage: string | undefined): AuthWords {
  return chooseLanguage<AuthWords>(acceptLanguage, [en, de]);
}
